import { actsOf } from '../../app/operations/acts-of.ts'
import type { HandedOver } from '../../app/operations/hand-over.ts'
import { type View, viewsOf } from '../../app/operations/views-of.ts'
import { agentLines } from '../../app/text/agent-lines.ts'
import { costsByAgent, costsOfStory } from '../../app/views/costs.ts'
import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import type { Spending } from '../../domain/run/budget.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { inColumns } from '../screen/columns.ts'
import { describeCap } from '../screen/money-lines.ts'
import type { Output } from '../screen/output.ts'

type BudgetView = View<'budgetNow'>
type BudgetNow = NonNullable<BudgetView['budget']>

interface BudgetOptions {
  readonly raise?: number
  readonly raiseTokens?: number
}

/**
 * Shows the budget and the spending of a Run. `--raise` increases the budget, so that paused work
 * continues.
 */
export async function budget(
  context: Context,
  [id]: readonly string[],
  { raise, raiseTokens, ...options }: CommonOptions & BudgetOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const views = await viewsOf(drydock)
  if (raise === undefined && raiseTokens === undefined) return show(context, await views.budgetNow({ id }))
  const { run, held } = await views.work({ id, meant: 'unfinished' })
  const [usd, tokens] = [raise ?? 0, raiseTokens ?? 0]
  const acts = await actsOf(drydock, { options })
  const { handed } = await acts.budget({ run, run_usd: usd, story_usd: 0, run_tokens: tokens })
  context.output.emit({ type: 'budget_raised', run, usd, tokens })
  context.output.say(held ? `Raised. It stays paused. Continue with:  drydock resume ${run}` : handedOver[handed])
  return 0
}

const handedOver: Readonly<Record<HandedOver, string>> = {
  applied: 'Raised. Waiting work continues.',
  waiting: 'Recorded. The process that works here has not applied it yet.',
  recorded: 'Raised. Continue with: drydock resume',
}

function show({ output }: Context, { run, state, ended, budget: now }: BudgetView): number {
  if (now === null) {
    output.emit({ type: 'budget', run, state, budget: null })
    output.say(`${run} is ${state}. It has no budget${ended ? '' : ' yet'}.`)
    return 0
  }
  output.emit({ type: 'budget', run, ...asJson(now) })
  if (!output.json) output.say(describe(output, { run, ended, now }))
  return 0
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function asJson(now: BudgetNow): object {
  const { shown, outcome, bounds, spent, maybe_charged: charged, spending, stories, priced, short } = now
  const { run_usd, story_usd, run_tokens } = bounds
  const usd = spent.micro_usd / 1e6
  return {
    state: shown,
    outcome,
    ...(short && { paused: short.bounds }),
    budget: bounds,
    spent: {
      usd: priced ? (spent.micro_usd - spent.reserved.micro_usd) / 1e6 : null,
      tokens: spent.tokens - spent.reserved.tokens,
    },
    maybe_charged: { usd: charged.micro_usd / 1e6, tokens: charged.tokens },
    reserved: { usd: spent.reserved.micro_usd / 1e6, tokens: spent.reserved.tokens },
    left: { usd: priced ? Math.max(0, run_usd - usd) : null, tokens: Math.max(0, run_tokens - spent.tokens) },
    stories: stories.map(({ id, state, usd: ofStory }) => ({
      id,
      state,
      left_usd: leftOfStory(spending, id, story_usd - ofStory),
      ...costsOfStory(spending, id),
    })),
    agents: costsByAgent(spending),
  }
}

/** The rest of a story's budget; null while the price of one of its calls is unknown. */
function leftOfStory(spending: readonly Spending[], id: string, usd: number): number | null {
  return costsOfStory(spending, id).cost_usd === null ? null : Math.max(0, usd)
}

interface BudgetOfRun {
  readonly run: string
  readonly ended: boolean
  readonly now: BudgetNow
}

function describe({ screen }: Output, { run, ended, now }: BudgetOfRun): string {
  const { outcome, bounds: may, spent, maybe_charged, spending, stories, priced, short } = now
  const { micro_usd: microUsd, tokens, reserved } = spent
  const row = (name: string, cells: readonly string[]) => ({ cells: [name, ...cells, ''], tone: 'strong' as const })
  const usdLeft = formatUsd(priced ? Math.max(0, may.run_usd - microUsd / 1e6) : null)
  const madeUsd = priced ? (microUsd - reserved.micro_usd) / 1e6 : null
  const bounds = inColumns(
    screen,
    { head: ['RUN', 'LIMIT', 'SPENT', 'RESERVED', 'LEFT', ''], right: [1, 2, 3, 4], painted: 0 },
    [
      row('dollars', [formatUsd(may.run_usd), formatUsd(madeUsd), formatUsd(reserved.micro_usd / 1e6), usdLeft]),
      row(
        'tokens',
        [may.run_tokens, tokens - reserved.tokens, reserved.tokens, Math.max(0, may.run_tokens - tokens)].map(
          formatCount,
        ),
      ),
    ],
  )
  const lines = stories.map(({ id, state, usd }) => {
    const { cost_usd } = costsOfStory(spending, id)
    const left = formatUsd(leftOfStory(spending, id, may.story_usd - usd))
    return { cells: [id, formatUsd(may.story_usd), formatUsd(cost_usd), left, state], tone: 'strong' as const }
  })
  const each = inColumns(
    screen,
    { head: ['STORY', 'LIMIT', 'SPENT', 'LEFT', 'STATE'], right: [1, 2, 3], painted: 0 },
    lines,
  )
  return [
    [
      `${run}: ${outcome.code}. ${outcome.sentence}`,
      ...(short?.bounds.map((each) => `${sentence(describeCap(each))}.`) ?? []),
    ].join('\n'),
    bounds,
    ...chargedLines(maybe_charged),
    ...(lines.length > 0 ? [each] : []),
    ...(spending.length > 0 ? [agentLines(spending).join('\n')] : []),
    ...(ended ? [] : [`Allow more:  ${short?.command ?? `drydock budget ${run} --raise 5`}`]),
  ].join('\n\n')
}

/**
 * The line about interrupted replies: providers may have charged for them, so their reservation
 * counts as spent.
 */
function chargedLines({ micro_usd: microUsd, tokens }: BudgetNow['maybe_charged']): readonly string[] {
  if (tokens === 0) return []
  const most = `${formatUsd(microUsd / 1e6)} and ${formatCount(tokens)} tokens`
  return [`Maybe charged: at most ${most}, for calls that got no whole answer. They count as spent.`]
}
