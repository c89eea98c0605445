import type { Figures } from '../../api/figures.ts'
import type { Event } from '../../domain/event.ts'
import { limits } from '../../domain/limits.ts'
import type { Story } from '../../domain/story.ts'
import { endStates, type StoryState, storyStates } from '../../domain/story-machine.ts'
import type { ModelCall } from '../../ports/store.ts'
import { findRun, type Reading } from './reading.ts'
import { type RunFacts, readRunFacts } from './run-facts.ts'
import { storyLines } from './story-line.ts'

export async function readFigures(reading: Reading, id: string): Promise<Figures> {
  const { records, run } = await findRun(reading, id)
  const facts = await readRunFacts(records, run)
  const calls = await records.modelCalls(run.id)
  const now = reading.now().toISOString()
  const to = facts.result !== null && facts.result.id > (facts.moves[0]?.id ?? 0) ? facts.result.at : now
  return {
    ...{ from: facts.startedAt, to },
    spending: spendingOver(calls, { from: Date.parse(facts.startedAt), to: Date.parse(to) }),
    unpriced: facts.spending.reduce((sum, { unpriced }) => sum + unpriced, 0),
    attempts: outcomes(facts.stories),
    states: timeInStates(facts, to),
  }
}

interface Span {
  readonly from: number
  readonly to: number
}

const nothing = { architect: 0, editor: 0, scout: 0 }

/** What each role had used at the end of each of some equal spans; a call counts when it ends. */
function spendingOver(calls: readonly ModelCall[], { from, to }: Span): Figures['spending'] {
  const ended = calls
    .map((call) => ({ call, at: Date.parse(call.startedAt) + call.durationMs }))
    .toSorted((a, b) => a.at - b.at)
  const last = Math.max(to, ended.at(-1)?.at ?? from)
  const count = Math.min(limits.dashboard.points, Math.max(1, ended.length))
  const cost = { ...nothing }
  const tokens = { ...nothing }
  let next = 0
  return Array.from({ length: count }, (_, i) => {
    const at = i === count - 1 ? last : Math.round(from + ((last - from) * (i + 1)) / count)
    for (let each = ended[next]; each !== undefined && each.at <= at; each = ended[next]) {
      const role = roleOf(each.call)
      cost[role] += (each.call.costMicroUsd ?? 0) / 1e6
      tokens[role] += (each.call.usage?.input ?? 0) + (each.call.usage?.output ?? 0)
      next += 1
    }
    return { at: new Date(at).toISOString(), cost_usd: { ...cost }, tokens: { ...tokens } }
  })
}

function roleOf({ run, lane }: ModelCall): keyof typeof nothing {
  const [role = ''] = lane.slice(run.length + 1).split('/')
  return role === 'architect' || role === 'scout' ? role : 'editor'
}

function outcomes(stories: readonly Story[]): Figures['attempts'] {
  const most = Math.max(0, ...stories.map(({ data }) => data.attempts.length))
  return Array.from({ length: most }, (_, i) => {
    const of = (status: string) => stories.filter(({ data }) => data.attempts[i]?.status === status).length
    return { attempt: i + 1, PASS: of('PASS'), FAIL: of('FAIL'), INFRA_ERROR: of('INFRA_ERROR') }
  })
}

/** From the moves of each story; the time after its end is none. */
function timeInStates(facts: RunFacts, to: string): Figures['states'] {
  return storyLines(facts, { owned: false }).map(({ id, title, created_at }) => {
    const moves = (facts.movesOf.get(id) ?? []).toReversed()
    const spent = new Map<string, number>()
    let state: string = moves[0] ? fromOf(moves[0]) : 'QUEUED'
    let since = created_at ?? moves[0]?.at ?? null
    for (const end of [...moves, { at: to, data: { to: '' } }]) {
      if (since === null) break
      const isOver = endStates.includes(state as StoryState)
      if (!isOver) spent.set(state, (spent.get(state) ?? 0) + secondsBetween(since, end.at))
      state = String(end.data.to)
      since = end.at
    }
    const known = storyStates.filter((each) => spent.has(each))
    return { story: id, title, seconds: known.map((each) => ({ state: each, seconds: spent.get(each) ?? 0 })) }
  })
}

function fromOf({ data }: Event): string {
  return String(data.from)
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from)) / 1_000
}
