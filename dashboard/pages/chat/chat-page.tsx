import { useState } from 'react'
import type { Escalation } from '../../../src/api/chat.ts'
import { useChat, useRun } from '../../data/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Question } from '../../parts/question.tsx'
import { RunHead } from '../../parts/run-head.tsx'
import { PostBox } from './post-box.tsx'
import { Thread } from './thread.tsx'

/** What was said: open questions on top, then the threads of the Run and of each story. */
export function ChatPage({ run, questions }: { readonly run: string; readonly questions: readonly Escalation[] }) {
  const { data } = useRun(run)
  const [story, setStory] = useState('')
  return (
    <div className="page narrow">
      <RunHead run={run} title="Chat">
        {data && data.stories.length > 1 && (
          <label className="field thread-choice">
            <span className="visually-hidden">Thread</span>
            <select className="input" value={story} onChange={({ target }) => setStory(target.value)}>
              <option value="">All threads</option>
              {data.stories.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        )}
      </RunHead>
      {questions.map((asked) => (
        <Question key={asked.id} asked={asked} />
      ))}
      <Loaded query={useChat(run)} what="the chat">
        {({ messages }) => {
          const shown = messages.filter((message) => story === '' || message.story === story)
          const roots = shown.filter(
            ({ reply_to, open }) => !open && (reply_to === null || !shown.some(({ id }) => id === reply_to)),
          )
          return roots.length === 0 ? (
            <Empty icon="chat" title="Nothing has been said yet">
              <p>Agents write here what you should know, and read your messages.</p>
            </Empty>
          ) : (
            <ul className="threads">
              {roots.toReversed().map((root) => (
                <li key={root.id}>
                  <Thread run={run} root={root} messages={shown} canReply={data?.can.post ?? false} />
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
      {data?.can.post && <PostBox key={story} run={run} story={story === '' ? null : story} />}
    </div>
  )
}
