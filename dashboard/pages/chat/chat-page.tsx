import type { ChatMessage, Escalation } from '../../../src/api/chat.ts'
import { may } from '../../data/may.ts'
import { useChat, useRun } from '../../data/queries.ts'
import { FilterBar, FilterChoice } from '../../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../../filters/use-filter.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Question } from '../../parts/question.tsx'
import { RunHead } from '../../parts/run-head.tsx'
import { PostBox } from './post-box.tsx'
import { answersTo, Thread } from './thread.tsx'
import { useSought } from './use-sought.ts'

/** The conversation: open questions on top, then the threads of the Run and of each story. */
export function ChatPage({ run, questions }: { readonly run: string; readonly questions: readonly Escalation[] }) {
  const { data } = useRun(run)
  const threads = data?.stories ?? []
  const [story, chooseStory] = useFilter(
    'story',
    threads.map(({ id }) => id),
  )
  const [from, chooseFrom] = useFilter('kind', speakers)
  const { matches } = useTextFilter()
  return (
    <div className="page narrow">
      <RunHead run={run} title="Chat" />
      {questions.map((asked) => (
        <Open key={asked.id} asked={asked} />
      ))}
      <Loaded query={useChat(run)} what="the chat">
        {({ messages }) => {
          const isShown = (message: ChatMessage) =>
            (story === null || message.story === story) &&
            (from === null || message.agent_id === from) &&
            matches(message.content, message.agent_id, message.story, message.id)
          const shown = messages.filter(isShown)
          const roots = messages.filter(
            (message) =>
              !message.open &&
              (message.reply_to === null || !messages.some(({ id }) => id === message.reply_to)) &&
              [message, ...answersTo(message.id, messages)].some(isShown),
          )
          const bar = messages.length > 0 && (
            <FilterBar
              what="messages"
              download={{ list: 'messages', run }}
              filters={['story', 'kind']}
              shown={{ some: shown.length, all: messages.length }}
            >
              {threads.length > 1 && (
                <FilterChoice
                  label="Thread"
                  all="All threads"
                  options={threads.map(({ id, title }) => ({ value: id, title }))}
                  chosen={story}
                  choose={chooseStory}
                />
              )}
              <FilterChoice
                label="From"
                all="From anybody"
                options={speakers.map((value) => ({ value, title: speakerNames[value] }))}
                chosen={from}
                choose={chooseFrom}
              />
            </FilterBar>
          )
          if (shown.length < messages.length && roots.length === 0) {
            return (
              <>
                {bar}
                <Empty icon="search" title="No message is like that" />
              </>
            )
          }
          return roots.length === 0 ? (
            <>
              {bar}
              <Empty icon="chat" title="Nothing has been said yet">
                <p>Agents write here what you should know, and read your messages.</p>
              </Empty>
            </>
          ) : (
            <>
              {bar}
              <ul className="threads">
                {roots.toReversed().map((root) => (
                  <li key={root.id}>
                    <Thread
                      run={run}
                      root={root}
                      messages={messages}
                      canReply={(data?.can.post ?? false) && may('operator')}
                    />
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </Loaded>
      {data?.can.post && <PostBox key={story} run={run} story={story} />}
    </div>
  )
}

const speakers = ['architect', 'editor', 'scout', 'human'] as const
const speakerNames = { architect: 'Architect', editor: 'Editors', scout: 'Scouts', human: 'You' } as const

function Open({ asked }: { readonly asked: Escalation }) {
  const { place, sought } = useSought<HTMLDivElement>(asked.id)
  return (
    <div ref={place} className={sought} tabIndex={-1}>
      <Question asked={asked} />
    </div>
  )
}
