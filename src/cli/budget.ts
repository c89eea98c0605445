import { randomUUID } from 'node:crypto'
import type { Drydock, StateReader } from '../compose.ts'
import type { Budget, Spending } from '../domain/run/budget.ts'
import { type Outcome, shownState } from '../domain/run/outcome.ts'
import { budgetOf, isEnded, pausedBy, type Run } from '../domain/run/run.ts'
import type { CommonOptions, Context } from './context.ts'
import { findRun, isUnfinished } from './find-run.ts'
import { type HandedOver, handOver } from './hand-over.ts'
import { open } from './open.ts'
import { outcomeNow } from './outcome-now.ts'
import { readShort } from './read-short.ts'
import { reading } from './reading.ts'
import { agentLines, costsByAgent, costsOfStory } from './report/costs.ts'
import { inColumns } from './screen/columns.ts'
import { formatTokens } from './screen/format-tokens.ts'
import { formatUsd } from './screen/format-usd.ts'
import { describeCap } from './screen/money-lines.ts'
import type { Output } from './screen/output.ts'
import { usage } from './usage.ts'

interface BudgetOptions {
  readonly raise?: number
  readonly raiseTokens?: number
}

/**
 * Shows what a Run may spend and has spent; with `--raise` it may spend more, and what waits for
 * that goes on.
 */
export async function budget(
  context: Context,
  [id]: readonly string[],
  { raise, raiseTokens, ...options }: CommonOptions & BudgetOptions,
): Promise<number> {
  const drydock = await open(context, options)
  if (raise === undefined && raiseTokens === undefined) return show(context, drydock, id)
  const { run, isHeld } = await reading(drydock, (records) => findRaised(records, id))
  const added = { runUsd: raise ?? 0, storyUsd: 0, runTokens: raiseTokens ?? 0 }
  const handed = await handOver(drydock, `budget/${randomUUID()}`, { kind: 'budget', run, raise: added })
  context.output.emit({ type: 'budget_raised', run, usd: added.runUsd, tokens: added.runTokens })
  context.output.say(isHeld ? `Raised; it stays paused. Go on with:  drydock resume ${run}` : handedOver[handed])
  return 0
}

const handedOver: Readonly<Record<HandedOver, string>> = {
  applied: 'Raised; what waited for it goes on.',
  waiting: 'Recorded; the process that works here has not taken it up yet.',
  recorded: 'Raised. Go on with: drydock resume',
}

/** The Run that is meant. */
async function findRaised(
  records: StateReader | null,
  id: string | undefined,
): Promise<{ readonly run: string; readonly isHeld: boolean }> {
  const run = await findRun(records, id, isUnfinished)
  if (isEnded(run.state)) throw usage(`${run.id} has ended: ${run.state}.`, 'See what it cost: drydock budget')
  if (run.data.base === null) {
    throw usage(`${run.id} has not started, and has no budget yet.`, 'Set it in your config.json: "budget": { … }')
  }
  return { run: run.id, isHeld: run.data.held != null }
}

interface Spent {
  readonly run: Run
  readonly outcome: Outcome
  readonly budget: Budget
  readonly spent: Awaited<ReturnType<StateReader['spent']>>
  readonly spending: readonly Spending[]
  readonly stories: readonly { readonly id: string; readonly state: string; readonly usd: number }[]
  readonly short: Awaited<ReturnType<typeof readShort>> | null
  /** The price of every call is known. */
  readonly priced: boolean
}

async function show({ output }: Context, drydock: Drydock, id: string | undefined): Promise<number> {
  return reading(drydock, async (records) => {
    const run = await findRun(records, id, isUnfinished)
    if (records === null || run.data.base === null) {
      output.emit({ type: 'budget', run: run.id, state: run.state, budget: null })
      output.say(`${run.id} is ${run.state}: it has no budget${isEnded(run.state) ? '' : ' yet'}.`)
      return 0
    }
    const { unpriced } = await records.totals(run.id)
    const short = pausedBy(run) === 'budget' ? await readShort(records, run.id) : null
    const all = {
      short,
      ...{
        run,
        outcome: await outcomeNow(drydock, records, run),
        budget: budgetOf(run),
        spent: await records.spent(run.id),
        priced: unpriced === 0,
      },
      ...{ spending: await records.spending(run.id), stories: await storiesOf(records, run) },
    }
    output.emit({ type: 'budget', ...asJson(all) })
    if (!output.json) output.say(describe(output, all))
    return 0
  })
}

async function storiesOf(records: StateReader, run: Run): Promise<Spent['stories']> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  return Promise.all(
    stories.map(async ({ story, state }) => {
      const { microUsd } = await records.spent(run.id, story ?? '')
      return { id: story ?? '', state, usd: microUsd / 1e6 }
    }),
  )
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function asJson({
  run,
  outcome,
  budget: { runUsd, storyUsd, runTokens },
  spent,
  spending,
  stories,
  priced,
  short,
}: Spent): object {
  const usd = spent.microUsd / 1e6
  return {
    ...{ run: run.id, state: shownState(run, outcome), outcome, ...(short && { paused: short.bounds }) },
    budget: { run_usd: runUsd, story_usd: storyUsd, run_tokens: runTokens },
    spent: {
      usd: priced ? (spent.microUsd - spent.reserved.microUsd) / 1e6 : null,
      tokens: spent.tokens - spent.reserved.tokens,
    },
    reserved: { usd: spent.reserved.microUsd / 1e6, tokens: spent.reserved.tokens },
    left: { usd: Math.max(0, runUsd - usd), tokens: Math.max(0, runTokens - spent.tokens) },
    stories: stories.map(({ id, state, usd: ofStory }) => ({
      ...{ id, state, left_usd: Math.max(0, storyUsd - ofStory) },
      ...costsOfStory(spending, id),
    })),
    agents: costsByAgent(spending),
  }
}

function describe({ screen }: Output, all: Spent): string {
  const { run, outcome, budget: may, spent, spending, stories, priced, short } = all
  const { microUsd, tokens, reserved } = spent
  const row = (name: string, cells: readonly string[]) => ({ cells: [name, ...cells, ''], tone: 'strong' as const })
  const usdLeft = formatUsd(Math.max(0, may.runUsd - microUsd / 1e6))
  const madeUsd = priced ? (microUsd - reserved.microUsd) / 1e6 : null
  const bounds = inColumns(
    screen,
    { head: ['RUN', 'LIMIT', 'SPENT', 'RESERVED', 'LEFT', ''], right: [1, 2, 3, 4], painted: 0 },
    [
      row('dollars', [formatUsd(may.runUsd), formatUsd(madeUsd), formatUsd(reserved.microUsd / 1e6), usdLeft]),
      row(
        'tokens',
        [may.runTokens, tokens - reserved.tokens, reserved.tokens, Math.max(0, may.runTokens - tokens)].map(
          formatTokens,
        ),
      ),
    ],
  )
  const lines = stories.map(({ id, state, usd }) => {
    const { cost_usd } = costsOfStory(spending, id)
    const left = formatUsd(Math.max(0, may.storyUsd - usd))
    return { cells: [id, formatUsd(may.storyUsd), formatUsd(cost_usd), left, state], tone: 'strong' as const }
  })
  const each = inColumns(
    screen,
    { head: ['STORY', 'LIMIT', 'SPENT', 'LEFT', 'STATE'], right: [1, 2, 3], painted: 0 },
    lines,
  )
  return [
    [
      `${run.id}: ${outcome.code}. ${outcome.sentence}`,
      ...(short?.bounds.map((each) => `${sentence(describeCap(each))}.`) ?? []),
    ].join('\n'),
    bounds,
    ...(lines.length > 0 ? [each] : []),
    ...(spending.length > 0 ? [agentLines(spending).join('\n')] : []),
    ...(isEnded(run.state) ? [] : [`Allow more:  ${short?.command ?? `drydock budget ${run.id} --raise 5`}`]),
  ].join('\n\n')
}
