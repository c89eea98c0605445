import { useState } from 'react'
import { usePost } from '../../data/commands.ts'
import { Problem } from '../../parts/notice.tsx'

/** Says something to the whole Run, or to one story. It is read at the next turn; nothing waits for it. */
export function PostBox({ run, story }: { readonly run: string; readonly story: string | null }) {
  const [text, setText] = useState('')
  const command = usePost(run)
  const send = () =>
    text.trim() !== '' && !command.isPending && command.mutate({ story, text }, { onSuccess: () => setText('') })
  return (
    <form
      className="card card-body"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="field">
        <span>{story === null ? 'Say something to everyone in this run' : `Say something to ${story}`}</span>
        <textarea
          className="input"
          maxLength={4_096}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key, ctrlKey, metaKey }) => key === 'Enter' && (ctrlKey || metaKey) && send()}
        />
        <small>Agents read it at their next turn.</small>
      </label>
      {command.isError && <Problem error={command.error} />}
      <div className="row">
        <button type="submit" className="button" disabled={text.trim() === '' || command.isPending}>
          Post
        </button>
      </div>
    </form>
  )
}
