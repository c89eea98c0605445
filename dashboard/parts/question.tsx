import { useId, useState } from 'react'
import type { Escalation } from '../../src/api/chat.ts'
import { useReply } from '../data/commands.ts'
import { href } from '../router.ts'
import { Icon } from './icon.tsx'
import { Markdown } from './markdown.tsx'
import { Problem } from './notice.tsx'
import { Time } from './time.tsx'

/** What a human is asked, what it rests on, and a place for the answer. */
export function Question({ asked }: { readonly asked: Escalation }) {
  const { run, story, agent_id, asked_at, question, evidence } = asked
  return (
    <article className="question" aria-label={`Question of the ${agent_id}`}>
      <header className="row">
        <Icon name="bell" />
        <strong>{agent_id === 'architect' ? 'The architect' : 'The editor'} asks you</strong>
        {story !== null && <a href={href('runs', run, 'stories', story)}>{story}</a>}
        <span className="spread sub">
          <Time at={asked_at} />
        </span>
      </header>
      <div className="question-text">
        <Markdown text={question} />
      </div>
      {evidence !== '' && (
        <details open={story === null || evidence.length < 1_500}>
          <summary>What it rests on</summary>
          <Markdown text={evidence} />
        </details>
      )}
      {asked.answered ? (
        <p className="sub" role="status">
          Your answer is stored and will be taken up as soon as a process works on this repository.
        </p>
      ) : (
        <ReplyBox message={asked.id} />
      )}
    </article>
  )
}

/** One line of it, where something else is looked at. */
export function BriefQuestion({ asked, to }: { readonly asked: Escalation; readonly to: string }) {
  return (
    <a className="question brief" href={to}>
      <span className="row">
        <Icon name="bell" />
        <strong className="brief-who">{asked.story ?? 'The run'} waits for your answer</strong>
        <span className="ellipsis">{asked.question}</span>
      </span>
    </a>
  )
}

function ReplyBox({ message }: { readonly message: string }) {
  const [text, setText] = useState('')
  const reply = useReply(message)
  const field = useId()
  const send = () => text.trim() !== '' && !reply.isPending && reply.mutate(text)
  if (reply.isSuccess) return <p role="status">Sent. The work goes on from here.</p>
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="visually-hidden" htmlFor={field}>
        Your answer
      </label>
      <textarea
        id={field}
        data-reply
        className="input"
        rows={2}
        maxLength={4_096}
        placeholder="Your answer"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key, ctrlKey, metaKey }) => key === 'Enter' && (ctrlKey || metaKey) && send()}
      />
      {reply.isError && <Problem error={reply.error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={text.trim() === '' || reply.isPending}>
          {reply.isPending ? 'Sending…' : 'Reply'}
        </button>
        <span className="sub with-keyboard">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
      </div>
    </form>
  )
}
