import type { Escalation } from '../../../src/api/chat.ts'
import type { Repository } from '../../../src/api/repositories.ts'
import { useDraft } from '../../data/draft.ts'
import { useOperation } from '../../data/operation.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Problem } from '../../parts/notice.tsx'
import { Time } from '../../parts/time.tsx'
import { useOpenRepository, useRepositories } from './use-repositories.ts'
import './repositories.css'

/** The user's open questions in other repositories; they are answered here, and stored there. */
export function QuestionsElsewhere() {
  const others = (useRepositories({ again: true }).data?.repositories ?? []).filter(
    ({ current, place, escalations }) => !current && place === 'here' && escalations.length > 0,
  )
  if (others.length === 0) return null
  return (
    <section className="elsewhere" aria-labelledby="elsewhere">
      <h2 id="elsewhere">In other repositories</h2>
      {others.flatMap((repository) =>
        repository.escalations.map((asked) => (
          <Elsewhere key={`${repository.id} ${asked.id}`} repository={repository} asked={asked} />
        )),
      )}
    </section>
  )
}

function Elsewhere({ repository, asked }: { readonly repository: Repository; readonly asked: Escalation }) {
  const { id, name, owned } = repository
  const [text, setText, clear] = useDraft(`elsewhere.${id}.${asked.id}`)
  const reply = useOperation('replyElsewhere')
  const open = useOpenRepository()
  const isSent = asked.answered || reply.isSuccess
  return (
    <article className="question" aria-label={`Question in ${name}`}>
      <header className="row">
        <strong>{name}</strong>
        {asked.story !== null && <code>{asked.story}</code>}
        <span className="spread sub">
          <Time at={asked.asked_at} />
        </span>
      </header>
      <div className="question-said">
        <Markdown text={asked.question} level={2} />
        {asked.evidence !== '' && (
          <details>
            <summary>Evidence</summary>
            <Markdown text={asked.evidence} level={2} />
          </details>
        )}
        {asked.options.length > 0 && (
          <ol>
            {asked.options.map((option) => (
              <li key={option}>{option}</li>
            ))}
          </ol>
        )}
        {isSent && (
          <p className="sub" role="status">
            Your answer is stored. {!owned && `No process works on ${name} now. Open it, and the work continues.`}
          </p>
        )}
      </div>
      {!isSent && (
        <form
          className="stack tight"
          onSubmit={(event) => {
            event.preventDefault()
            reply.mutate({ id, message: asked.id, text }, { onSuccess: clear })
          }}
        >
          <label className="field">
            <span>Your answer{asked.decisions.length > 0 && `, beginning with ${asked.decisions.join(' or ')}`}</span>
            <textarea className="input short" value={text} onChange={({ target }) => setText(target.value)} />
          </label>
          {reply.isError && <Problem error={reply.error} />}
          <div className="row">
            <button type="submit" className="button primary" disabled={text.trim() === '' || reply.isPending}>
              Answer
            </button>
          </div>
        </form>
      )}
      {open.isError && <Problem error={open.error} />}
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={open.isPending}
          onClick={() => open.mutate({ id, to: `runs/${asked.run}` })}
        >
          Look at it in {name}
        </button>
      </div>
    </article>
  )
}
