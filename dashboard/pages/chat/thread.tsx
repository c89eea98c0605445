import { useState } from 'react'
import type { ChatMessage } from '../../../src/api/chat.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { ReplyBox } from '../../parts/reply-box.tsx'
import { Time } from '../../parts/time.tsx'
import { waitsForWhom } from '../../parts/waits-for-answer.ts'
import { href } from '../../router.ts'
import { useSought } from './use-sought.ts'

interface Props {
  readonly run: string
  readonly root: ChatMessage
  readonly messages: readonly ChatMessage[]
  /** True if an agent exists that can read an answer. */
  readonly canReply: boolean
}

/** A message with all its answers. */
export function Thread({ run, root, messages, canReply }: Props) {
  return (
    <div className={`card thread ${root.post_type === 'escalate' ? 'escalated' : ''}`}>
      <Message run={run} message={root} canReply={canReply} />
      {answersTo(root.id, messages).map((message) => (
        <div key={message.id} className="answer">
          <Message run={run} message={message} canReply={canReply} />
        </div>
      ))}
    </div>
  )
}

/** Direct and indirect answers, in order. */
export function answersTo(id: string, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages
    .filter(({ reply_to }) => reply_to === id)
    .flatMap((message) => [message, ...answersTo(message.id, messages)])
}

const names: Readonly<Record<string, string>> = { architect: 'Architect', editor: 'Editor', human: 'You' }

interface One {
  readonly run: string
  readonly message: ChatMessage
  readonly canReply: boolean
}

function Message({ run, message, canReply }: One) {
  const [isReplying, setReplying] = useState(false)
  const { place, sought } = useSought<HTMLElement>(message.id)
  const { agent_id, author, content, timestamp, story, post_type, open, unused } = message
  const name = author ?? names[agent_id] ?? agent_id
  return (
    <article ref={place} className={`message ${agent_id} ${sought}`} data-item tabIndex={-1}>
      <header className="row">
        <span className="avatar" aria-hidden="true">
          {name.charAt(0).toUpperCase()}
        </span>
        <strong>{name}</strong>
        {post_type === 'escalate' && (
          <span className={`pill ${open ? 'attention' : 'done'}`}>{open ? waitsForWhom() : 'Answered'}</span>
        )}
        {unused !== null && <span className="pill waiting">Not used: {unused}</span>}
        {story !== null && (
          <a className="mono sub" href={href('runs', run, 'stories', story)}>
            {story}
          </a>
        )}
        <span className="spread sub">
          <Time at={timestamp} />
        </span>
      </header>
      <Markdown text={content} level={2} />
      {canReply && agent_id !== 'human' && post_type !== 'escalate' && !isReplying && (
        <button type="button" className="button" onClick={() => setReplying(true)}>
          Reply
        </button>
      )}
      {isReplying && <ReplyBox run={run} message={message.id} sent="Sent." onSent={() => setReplying(false)} />}
    </article>
  )
}
