import { useState } from 'react'
import type { RunDetail } from '../../../src/api/runs.ts'
import type { Budget } from '../../../src/api/spending.ts'
import { formatCount, formatUsd } from '../../../src/domain/figures-text.ts'
import { may } from '../../data/may.ts'
import { Until } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { RaiseBudget } from './raise-budget.tsx'

/** The reason why no work continues, if it is not a question, and the remedy. */
export function Standstill({ detail }: { readonly detail: RunDetail }) {
  const { run, outcome, error, pause, waits_for_slot: waits } = detail
  const { budget, provider, user } = pause
  return (
    <>
      {error && (
        <div className="problem" role="alert">
          <strong>{error.message}</strong>
          <p>{error.todo}</p>
        </div>
      )}
      {budget && <BudgetReached detail={detail} reached={budget} />}
      {waits && (
        <div className="notice quiet" role="status">
          <strong>Waiting for a slot</strong>
          <p>{waits.sentence}</p>
          <Stories run={run} word="Waiting" ids={waits.stories} />
        </div>
      )}
      {provider && (
        <div className="notice" role="status">
          <strong>Waiting for the model’s provider</strong>
          <p>
            {sentence(provider.reason)} Drydock tries again <Until at={provider.until} />; the work then continues by
            itself.
          </p>
          <Stories run={run} word="Waiting" ids={provider.stories} />
        </div>
      )}
      {user && (
        <div className="notice quiet" role="status">
          <strong>{user === 'paused' ? outcome.sentence : 'Pausing'}</strong>
          <p>
            {user === 'paused'
              ? 'Nothing is asked, run or merged until you resume it. It then continues exactly where it was.'
              : 'Current steps end and are kept. Nothing new starts.'}
          </p>
        </div>
      )}
    </>
  )
}

interface ReachedProps {
  readonly detail: RunDetail
  readonly reached: NonNullable<RunDetail['pause']['budget']>
}

type Cap = ReachedProps['reached']['caps'][number]

function BudgetReached({ detail: { run, budget }, reached }: ReachedProps) {
  const [raising, setRaising] = useState(false)
  return (
    <div className="problem" role="status">
      <strong>
        {isTooSmall(reached) ? 'The budget does not allow the next call' : 'A budget is used up'}
        {reached.caps.length > 0 && `: ${reached.caps.map(capText(budget)).join(', ')}`}
      </strong>
      {reached.waiting.map((each) => (
        <p key={`${each.story} ${each.cap}`}>{shortageText(each)}</p>
      ))}
      <p>
        Everything is kept. Raise the budget, and the run continues exactly where it stopped:{' '}
        <code>{reached.command}</code>
      </p>
      <Stories run={run} word="Paused" ids={reached.stories} />
      {may('operator') && (
        <button type="button" className="button primary" onClick={() => setRaising(true)}>
          Raise the budget
        </button>
      )}
      {raising && <RaiseBudget run={run} budget={budget} enough={reached.raise} close={() => setRaising(false)} />}
    </div>
  )
}

/** True if something is left of each limit, but less than a call may need. */
function isTooSmall({ waiting }: ReachedProps['reached']): boolean {
  return waiting.length > 0 && waiting.every(({ left = 0 }) => left > 0)
}

type Shortage = ReachedProps['reached']['waiting'][number]

/** Older versions of Drydock did not store the amount that the call needs. */
function shortageText({ story, cap, limit, needed = 0, left = 0 }: Shortage): string {
  const about = story === null ? 'The next call' : `The next call for ${story}`
  return cap === 'run_tokens' || cap === 'story_tokens'
    ? `${about} may use up to ${formatCount(needed)} tokens; ${formatCount(left)} of ${formatCount(limit)} are left.`
    : `${about} may cost up to ${formatUsd(needed)}; ${formatUsd(left)} of ${formatUsd(limit)} is left.`
}

const capText = (budget: Budget | null) => (cap: Cap) => {
  switch (cap) {
    case 'run_usd':
      return budget ? `${formatUsd(budget.run_usd)} of the run` : 'the dollars of the run'
    case 'story_usd':
      return budget ? `${formatUsd(budget.story_usd)} of a story` : 'the dollars of a story'
    case 'run_tokens':
      return budget ? `${formatCount(budget.run_tokens)} tokens of the run` : 'the tokens of the run'
    case 'story_tokens':
      return 'the tokens of a story'
    default:
      throw new Error(`unknown cap ${cap satisfies never}`)
  }
}

interface StoriesProps {
  readonly run: string
  readonly word: string
  readonly ids: readonly string[]
}

/** The most stories to name; the board shows all of them. */
const named = 8

function Stories({ run, word, ids }: StoriesProps) {
  if (ids.length === 0) return null
  return (
    <p className="row">
      {word}:
      {ids.slice(0, named).map((id) => (
        <a key={id} className="mono" href={href('runs', run, 'stories', id)}>
          {id}
        </a>
      ))}
      {ids.length > named && <span>and {ids.length - named} more</span>}
    </p>
  )
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}
