import { type Lane, shortageOf } from '../../domain/lane/lane.ts'
import { type Budget, type Cap, type Shortage, shortagesOf } from '../../domain/run/budget.ts'
import { withLikelyRaise } from '../../domain/run/likely-rest.ts'
import { budgetOf, type Run } from '../../domain/run/run.ts'
import { endStates } from '../../domain/story/story-machine.ts'
import type { Records } from '../../ports/store.ts'
import { storiesOf } from '../machines.ts'
import { spentBy } from './spent-by.ts'

/**
 * A bound that stops work. A lane that an older Drydock paused does not know what its next call
 * needs.
 */
export type BudgetLimit = Pick<Shortage, 'cap' | 'limit' | 'spent'> & Partial<Shortage>

/**
 * Each bound that blocks the lane, including those that would still block it after another is
 * raised.
 */
export async function budgetReached(
  records: Records,
  budget: Budget,
  { run, story, data }: Pick<Lane, 'run' | 'story' | 'data'>,
): Promise<readonly BudgetLimit[]> {
  const short = shortageOf(data)
  if (short === null) return []
  const spent = await spentBy(records, { run, story }, short.wanted ?? { microUsd: 0 })
  if (short.wanted === null) return [reachedAt(budget, { cap: short.cap, ...spent })]
  return shortagesOf(budget, spent, short.wanted)
}

interface Reaching {
  readonly cap: Cap
  readonly run: { readonly microUsd: number; readonly tokens: number }
  readonly story: { readonly microUsd: number; readonly tokens: number } | null
}

function reachedAt(
  { runUsd, storyUsd, runTokens, storyTokens = runTokens }: Budget,
  { cap, run, story }: Reaching,
): BudgetLimit {
  switch (cap) {
    case 'run_tokens':
      return { cap, limit: runTokens, spent: run.tokens }
    case 'story_tokens':
      return { cap, limit: storyTokens, spent: (story ?? run).tokens }
    case 'run_usd':
      return { cap, limit: runUsd, spent: run.microUsd / 1e6 }
    case 'story_usd':
      return { cap, limit: storyUsd, spent: (story ?? run).microUsd / 1e6 }
    default:
      throw new Error(`unknown bound ${cap satisfies never}`)
  }
}

/**
 * Each bound that stops the Run's stories, once for each story. The proposed raise probably
 * suffices for the rest of the work.
 */
export async function allReached(
  records: Records,
  run: Run,
): Promise<readonly (BudgetLimit & { readonly story: string | null })[]> {
  const lanes = await records.machines({ kind: 'lane', run: run.id, states: ['ASKING'] })
  const short = lanes.filter(({ data }) => shortageOf(data) !== null)
  if (short.length === 0) return []
  const figures = await figuresOf(records, run)
  const reached = await Promise.all(
    short.map(async (lane) => {
      const bounds = await budgetReached(records, budgetOf(run), lane)
      const { story } = lane
      return bounds.map((each) => ({ story, ...withLikelyRaise(each, { ...figures, budget: budgetOf(run), story }) }))
    }),
  )
  return [...new Map(reached.flat().map((each) => [`${each.story} ${each.cap}`, each])).values()]
}

/** The usage of a Run and of its stories so far. */
async function figuresOf(records: Records, { id }: Run) {
  const made = async (story?: string) => {
    const { calls, costMicroUsd: microUsd, tokens } = await records.totals(id, story)
    return { calls, microUsd, tokens }
  }
  const stories = await storiesOf(records, id)
  return {
    run: await made(),
    stories: await Promise.all(
      stories.map(async ({ story, state }) => ({
        story,
        isDone: state === 'DONE',
        isEnded: endStates.includes(state),
        ...(await made(story ?? '')),
      })),
    ),
  }
}
