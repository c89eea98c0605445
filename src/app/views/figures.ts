import type { Figures } from '../../api/figures.ts'
import { limits } from '../../domain/limits.ts'
import type { Spending } from '../../domain/run/budget.ts'
import type { Story } from '../../domain/story/story.ts'
import { endStates, type StoryState, storyStates } from '../../domain/story/story-machine.ts'
import type { SpendingOver } from '../../ports/workload.ts'
import { type RunFacts, readRunFacts } from './run-facts.ts'
import { storyLines } from './story-lines.ts'
import { findRun, type ViewSources } from './view-sources.ts'

export async function readFigures(sources: ViewSources, id: string): Promise<Figures> {
  const { records } = sources
  const run = await findRun(sources, id)
  const facts = await readRunFacts(records, run)
  const now = sources.now().toISOString()
  const to = facts.result !== null && facts.result.id > (facts.moves[0]?.id ?? 0) ? facts.result.at : now
  const during = { from: new Date(facts.startedAt), to: new Date(to), points: limits.dashboard.points }
  return {
    from: facts.startedAt,
    to,
    spending: withLost(spendingOver(await records.spendingOver(run.id, during)), facts.spending),
    unpriced: facts.spending.reduce((sum, { unpriced }) => sum + unpriced, 0),
    attempts: outcomes(facts.stories),
    states: timeInStates(facts, to),
  }
}

const nothing = { architect: 0, editor: 0, scout: 0 }

/** The usage of each role at the end of each of several equal time spans. */
function spendingOver({ ends, used }: SpendingOver): Figures['spending'] {
  const bySpan = Map.groupBy(used, ({ span }) => span)
  const cost = { ...nothing }
  const tokens = { ...nothing }
  return ends.map((end, i) => {
    for (const each of bySpan.get(i) ?? []) {
      const role = roleOf(each.agent)
      cost[role] += each.microUsd / 1e6
      tokens[role] += each.tokens
    }
    return { at: end.toISOString(), cost_usd: { ...cost }, tokens: { ...tokens } }
  })
}

/**
 * Adds the cost of calls whose end was not seen. It has no time, so it goes to the last point,
 * where the line must reach the total cost of the Run.
 */
function withLost(points: Figures['spending'], spending: readonly Spending[]): Figures['spending'] {
  const last = points.at(-1)
  if (last === undefined) return points
  const cost = { ...nothing }
  for (const { agent, microUsd } of spending) cost[roleOf(agent)] += microUsd / 1e6
  return [...points.slice(0, -1), { ...last, cost_usd: cost }]
}

function roleOf(agent: string): keyof typeof nothing {
  return agent === 'architect' || agent === 'scout' ? agent : 'editor'
}

function outcomes(stories: readonly Story[]): Figures['attempts'] {
  const most = Math.max(0, ...stories.map(({ data }) => data.attempts.length))
  return Array.from({ length: most }, (_, i) => {
    const of = (status: string) => stories.filter(({ data }) => data.attempts[i]?.status === status).length
    return { attempt: i + 1, PASS: of('PASS'), FAIL: of('FAIL'), INFRA_ERROR: of('INFRA_ERROR') }
  })
}

/**
 * The time of each story in each state, from its `move` events. The time after its end is not
 * counted.
 */
function timeInStates(facts: RunFacts, to: string): Figures['states'] {
  return storyLines(facts, { owned: false, now: new Date(to), outcome: null }).map(({ id, title, created_at }) => {
    const moves = (facts.movesOf.get(id) ?? []).toReversed()
    const spent = new Map<string, number>()
    let state: string = moves[0] ? moves[0].data.from : 'QUEUED'
    let since = created_at ?? moves[0]?.at ?? null
    for (const end of [...moves, { at: to, data: { to: '' } }]) {
      if (since === null) break
      const isOver = endStates.includes(state as StoryState)
      if (!isOver) spent.set(state, (spent.get(state) ?? 0) + secondsBetween(since, end.at))
      state = end.data.to
      since = end.at
    }
    const known = storyStates.filter((each) => spent.has(each))
    return { story: id, title, seconds: known.map((each) => ({ state: each, seconds: spent.get(each) ?? 0 })) }
  })
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from)) / 1_000
}
