import type { Escalation } from '../../src/api/chat.ts'
import { may } from '../data/may.ts'
import { href } from '../router.ts'
import { DecisionBox } from './decision-box.tsx'
import { FindingFates } from './evidence/finding-fates.tsx'
import { QuestionEvidence } from './evidence/question-evidence.tsx'
import { Icon } from './icon.tsx'
import { Markdown } from './markdown.tsx'
import { OptionList } from './option-list.tsx'
import { ReplyBox } from './reply-box.tsx'
import { Time } from './time.tsx'

/** A question to a person, its evidence, and a field for the answer. */
export function Question({ asked }: { readonly asked: Escalation }) {
  const { run, story, agent_id, asked_at, question, evidence, options, run_title, story_title } = asked
  return (
    <article className="question" aria-label={`Question of the ${agent_id}`}>
      <header className="row">
        <Icon name="bell" />
        <strong>
          {agent_id === 'architect' ? 'The architect' : 'The editor'} asks {may('operator') ? 'you' : 'an operator'}
        </strong>
        <span className="question-of">
          <a href={href('runs', run)}>{run_title}</a>
          {story !== null && story_title !== null && (
            <>
              {' › '}
              <a href={href('runs', run, 'stories', story)}>{story_title}</a>
            </>
          )}
        </span>
        <span className="spread sub">
          <Time at={asked_at} />
        </span>
      </header>
      <div className="question-said">
        <div className="question-text">
          <Markdown text={question} level={2} />
        </div>
        {evidence !== '' && options.length > 0 && <Markdown text={evidence} level={2} />}
        {evidence !== '' && options.length === 0 && (
          <details open={story === null || evidence.length < 1_500}>
            <summary>Evidence</summary>
            <Markdown text={evidence} level={2} />
          </details>
        )}
        {story !== null && <Places run={run} story={story} />}
        {story !== null && <QuestionEvidence asked={asked} story={story} />}
        {asked.answered && (
          <p className="sub" role="status">
            Your answer is stored. Work continues as soon as a process runs on this repository.
          </p>
        )}
      </div>
      {!asked.answered && <Answers asked={asked} />}
    </article>
  )
}

/** The controls for the answer, beside the evidence. */
function Answers({ asked }: { readonly asked: Escalation }) {
  const { id, run, story, options, decisions } = asked
  const isFree = decisions.length === 0
  return (
    <div className="question-do">
      {options.length > 0 && <OptionList asked={asked} />}
      {story !== null && isFree && options.length === 0 && <FindingFates asked={asked} story={story} />}
      {isFree ? (
        <ReplyBox
          run={run}
          message={id}
          hint={options.length > 0 ? 'Or in your own words' : 'Your answer'}
          sent="Sent. The work continues."
        />
      ) : (
        <DecisionBox asked={asked} />
      )}
    </div>
  )
}

/** Links to look at before answering; a half-written answer is kept. */
function Places({ run, story }: { readonly run: string; readonly story: string }) {
  return (
    <p className="row sub">
      See its
      {(['diff', 'reviews', 'verifications'] as const).map((place) => (
        <a key={place} href={href('runs', run, 'stories', story, place)}>
          {place}
        </a>
      ))}
    </p>
  )
}

/** One line of the question, for pages about something else. */
export function BriefQuestion({ asked, to }: { readonly asked: Escalation; readonly to: string }) {
  return (
    <a className="question brief" href={to}>
      <span className="row">
        <Icon name="bell" />
        <strong className="brief-who">
          {asked.story_title ?? asked.run_title} {may('operator') ? 'waits for your answer' : 'waits for an operator'}
        </strong>
        <span className="ellipsis">{asked.question}</span>
      </span>
    </a>
  )
}
