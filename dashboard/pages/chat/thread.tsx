import type { ChatMessage } from '../../../src/api/chat.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Time } from '../../parts/time.tsx'
import { href } from '../../router.ts'

interface Props {
  readonly run: string
  readonly root: ChatMessage
  readonly messages: readonly ChatMessage[]
}

/** A message with all that was answered to it. */
export function Thread({ run, root, messages }: Props) {
  return (
    <div className={`card thread ${root.post_type === 'escalate' ? 'escalated' : ''}`}>
      <Message run={run} message={root} />
      {answersTo(root.id, messages).map((message) => (
        <div key={message.id} className="answer">
          <Message run={run} message={message} />
        </div>
      ))}
    </div>
  )
}

/** Answers and answers to these, in order. */
function answersTo(id: string, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages
    .filter(({ reply_to }) => reply_to === id)
    .flatMap((message) => [message, ...answersTo(message.id, messages)])
}

const names: Readonly<Record<string, string>> = { architect: 'Architect', editor: 'Editor', human: 'You' }

function Message({ run, message }: { readonly run: string; readonly message: ChatMessage }) {
  const { agent_id, content, timestamp, story, post_type, open } = message
  return (
    <article className={`message ${agent_id}`} data-item tabIndex={-1}>
      <header className="row">
        <span className="avatar" aria-hidden="true">
          {(names[agent_id] ?? agent_id).charAt(0)}
        </span>
        <strong>{names[agent_id] ?? agent_id}</strong>
        {post_type === 'escalate' && (
          <span className={`pill ${open ? 'attention' : 'done'}`}>{open ? 'Waits for you' : 'Answered'}</span>
        )}
        {story !== null && (
          <a className="mono sub" href={href('runs', run, 'stories', story)}>
            {story}
          </a>
        )}
        <span className="spread sub">
          <Time at={timestamp} />
        </span>
      </header>
      <Markdown text={content} />
    </article>
  )
}
