import type { BenchAttemptDetail } from '../../../src/api/benches.ts'
import { count, duration, money } from '../../figures-text.ts'
import { PlainDiff } from '../../parts/diff/plain-diff.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Preformatted } from '../../parts/preformatted.tsx'
import { Running, Time } from '../../parts/time.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { href } from '../../router.ts'
import { Fact, Facts } from '../kinds/facts.tsx'
import { useBenchAttempt } from './use-benches.ts'
import { armTitle, attemptTitle, badgeOfAttempt, verdictSentences, verdictTitles } from './words.ts'
import './benches.css'

/** One attempt: the results of the hidden tests, the change, and the events. */
export function AttemptPage({ bench, name }: { readonly bench: string; readonly name: string }) {
  return (
    <div className="page">
      <Loaded query={useBenchAttempt(bench, name)} what="the attempt">
        {(attempt) => <Whole bench={bench} attempt={attempt} />}
      </Loaded>
    </div>
  )
}

interface Props {
  readonly bench: string
  readonly attempt: BenchAttemptDetail
}

function Whole({ bench, attempt }: Props) {
  const { task, result, since, expected, hidden, patch, events } = attempt
  const badge = badgeOfAttempt(attempt)
  return (
    <>
      <header className="page-head">
        <div>
          <p className="sub">
            <a href={href('benches')}>Benches</a> · <a href={href('benches', bench)}>All attempts</a>
          </p>
          <h1>{task}</h1>
          <p className="sub">
            {armTitle(attempt)}, {attemptTitle(attempt)}
          </p>
        </div>
        <Pill state={badge.state} label={badge.label} title={badge.title} live={since !== null} />
      </header>
      {result && (
        <p>
          {result.error ?? verdictSentences[result.verdict]}
          {expected !== null && ` Expected: ${verdictTitles[expected]}.`}
        </p>
      )}
      <Facts>
        {result ? (
          <>
            <Fact name="Outcome of the run">{result.outcome}</Fact>
            <Fact name="Took">{duration(result.wall_ms)}</Fact>
            <Fact name="Cost">
              {money(result.cost_usd)} <small>{count(result.tokens)} tokens</small>
            </Fact>
            <Fact name="Questions">{result.questions}</Fact>
            <Fact name="Returns">
              {result.returns} <small>from the merge queue</small>
            </Fact>
            {result.held_by_acceptance !== null && (
              <Fact name="Acceptance tests">{result.held_by_acceptance ? 'held it' : 'did not hold it'}</Fact>
            )}
          </>
        ) : (
          <Fact name="Working for">{since === null ? '–' : <Running since={since} aheadMs={0} />}</Fact>
        )}
      </Facts>
      {hidden.length > 0 && <Hidden hidden={hidden} />}
      {patch !== null && (
        <section className="stack" aria-label="Changes">
          <h2>Changes</h2>
          {patch.truncated && <p className="notice">The change is long: its end is not shown here.</p>}
          {patch.text === '' ? <p className="sub">It has changed nothing.</p> : <PlainDiff diff={patch.text} />}
        </section>
      )}
      <section className="stack" aria-label="What happened">
        <h2>What happened</h2>
        {attempt.older_events && <p className="sub">The newest events. All of them lie in the folder of the bench.</p>}
        {events.length === 0 ? (
          <Empty icon="activity" title="Nothing has happened yet" />
        ) : (
          <VirtualList
            className="timeline"
            newestFirst
            label="Events"
            items={events}
            id={({ at, type, data }) => `${at} ${type} ${JSON.stringify(data)}`}
            height={38}
          >
            {(event) => <EventRow event={event} />}
          </VirtualList>
        )}
      </section>
    </>
  )
}

function Hidden({ hidden }: { readonly hidden: BenchAttemptDetail['hidden'] }) {
  return (
    <section className="stack" aria-label="Hidden tests">
      <h2>Hidden tests</h2>
      {hidden.map(({ command, status, tail }) => (
        <div key={command} className="card">
          <div className="card-head">
            <code className="bench-command">{command}</code>
            <Pill state={status} />
          </div>
          <div className="card-body">
            {tail.trim() === '' ? (
              <p className="sub">Nothing was printed.</p>
            ) : (
              <Preformatted label="Output">{tail}</Preformatted>
            )}
          </div>
        </div>
      ))}
    </section>
  )
}

function EventRow({ event: { type, story, at, data } }: { readonly event: BenchAttemptDetail['events'][number] }) {
  const facts = Object.entries(data)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
  return (
    <div className="event-row">
      <span className="dot" aria-hidden="true" />
      <span className="event-type">{type.replaceAll('_', ' ')}</span>
      {story !== null && <span className="mono">{story}</span>}
      <span className="entry-what">{facts.join(' · ').slice(0, 300)}</span>
      {at !== null && (
        <span className="sub">
          <Time at={at} />
        </span>
      )}
    </div>
  )
}
