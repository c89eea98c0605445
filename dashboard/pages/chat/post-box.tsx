import { useDraft } from '../../data/draft.ts'
import { useOperation } from '../../data/operation.ts'
import { forOperators } from '../../parts/for-operators.tsx'
import { Problem } from '../../parts/notice.tsx'

/**
 * Posts a message to all editors of a Run and its architect, or to the editor of one story. Nothing
 * waits for it.
 */
export const PostBox = forOperators(function PostBox({
  run,
  story,
}: {
  readonly run: string
  readonly story: string | null
}) {
  const [text, setText, clear] = useDraft(`post.${run}.${story ?? ''}`)
  const command = useOperation('post')
  const send = () =>
    text.trim() !== '' && !command.isPending && command.mutate({ run, story, text }, { onSuccess: clear })
  return (
    <form
      className="card card-body"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="field">
        <span>{story === null ? 'Write to everyone in this run' : `Write to the editor of ${story}`}</span>
        <textarea
          className="input"
          maxLength={4_096}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key, ctrlKey, metaKey }) => key === 'Enter' && (ctrlKey || metaKey) && send()}
        />
        <small>
          {story === null ? 'Every editor and the architect read it' : 'Its editor reads it'} in the next turn.
        </small>
      </label>
      {command.isError && <Problem error={command.error} />}
      <div className="row">
        <button type="submit" className="button" disabled={text.trim() === '' || command.isPending}>
          Post
        </button>
      </div>
    </form>
  )
})
