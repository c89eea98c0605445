import { actsOf } from '../../app/operations/acts-of.ts'
import type { HandedOver } from '../../app/operations/hand-over.ts'
import type { OwnedRecords } from '../../app/state-access.ts'
import { agentLines } from '../../app/text/agent-lines.ts'
import { type BudgetView, readBudgetView } from '../../app/views/budget.ts'
import { costsByAgent, costsOfStory } from '../../app/views/costs.ts'
import { isUnfinished, lookUp } from '../../app/views/find/find-work.ts'
import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import type { Spending } from '../../domain/run/budget.ts'
import { shownState } from '../../domain/run/outcome.ts'
import { isEnded, isHeld } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { inColumns } from '../screen/columns.ts'
import { describeCap } from '../screen/money-lines.ts'
import type { Output } from '../screen/output.ts'

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
  if (raise === undefined && raiseTokens === undefined) return show(context, drydock, id)
  const { run } = await lookUp(drydock, id, isUnfinished)
  const [usd, tokens] = [raise ?? 0, raiseTokens ?? 0]
  const acts = await actsOf(drydock, { options })
  const { handed } = await acts.budget({ run: run.id, run_usd: usd, story_usd: 0, run_tokens: tokens })
  context.output.emit({ type: 'budget_raised', run: run.id, usd, tokens })
  context.output.say(
    isHeld(run) ? `Raised. It stays paused. Continue with:  drydock resume ${run.id}` : handedOver[handed],
  )
  return 0
}

const handedOver: Readonly<Record<HandedOver, string>> = {
  applied: 'Raised. Waiting work continues.',
  waiting: 'Recorded. The process that works here has not applied it yet.',
  recorded: 'Raised. Continue with: drydock resume',
}

async function show({ output }: Context, drydock: OwnedRecords, id: string | undefined): Promise<number> {
  const view = await readBudgetView(drydock, id)
  if (view.budget === null) {
    const { run } = view
    output.emit({ type: 'budget', run: run.id, state: run.state, budget: null })
    output.say(`${run.id} is ${run.state}. It has no budget${isEnded(run.state) ? '' : ' yet'}.`)
    return 0
  }
  output.emit({ type: 'budget', ...asJson(view) })
  if (!output.json) output.say(describe(output, view))
  return 0
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function asJson({
  run,
  outcome,
  budget: { runUsd, storyUsd, runTokens, storyTokens },
  spent,
  maybeCharged,
  spending,
  stories,
  priced,
  short,
}: BudgetView): object {
  const usd = spent.microUsd / 1e6
  return {
    run: run.id,
    state: shownState(run, outcome),
    outcome,
    ...(short && { paused: short.bounds }),
    budget: {
      run_usd: runUsd,
      story_usd: storyUsd,
      run_tokens: runTokens,
      ...(storyTokens !== undefined && { story_tokens: storyTokens }),
    },
    spent: {
      usd: priced ? (spent.microUsd - spent.reserved.microUsd) / 1e6 : null,
      tokens: spent.tokens - spent.reserved.tokens,
    },
    maybe_charged: { usd: maybeCharged.microUsd / 1e6, tokens: maybeCharged.tokens },
    reserved: { usd: spent.reserved.microUsd / 1e6, tokens: spent.reserved.tokens },
    left: { usd: priced ? Math.max(0, runUsd - usd) : null, tokens: Math.max(0, runTokens - spent.tokens) },
    stories: stories.map(({ id, state, usd: ofStory }) => ({
      id,
      state,
      left_usd: leftOfStory(spending, id, storyUsd - ofStory),
      ...costsOfStory(spending, id),
    })),
    agents: costsByAgent(spending),
  }
}

/** The rest of a story's budget; null while the price of one of its calls is unknown. */
function leftOfStory(spending: readonly Spending[], id: string, usd: number): number | null {
  return costsOfStory(spending, id).cost_usd === null ? null : Math.max(0, usd)
}

function describe({ screen }: Output, all: BudgetView): string {
  const { run, outcome, budget: may, spent, maybeCharged, spending, stories, priced, short } = all
  const { microUsd, tokens, reserved } = spent
  const row = (name: string, cells: readonly string[]) => ({ cells: [name, ...cells, ''], tone: 'strong' as const })
  const usdLeft = formatUsd(priced ? Math.max(0, may.runUsd - microUsd / 1e6) : null)
  const madeUsd = priced ? (microUsd - reserved.microUsd) / 1e6 : null
  const bounds = inColumns(
    screen,
    { head: ['RUN', 'LIMIT', 'SPENT', 'RESERVED', 'LEFT', ''], right: [1, 2, 3, 4], painted: 0 },
    [
      row('dollars', [formatUsd(may.runUsd), formatUsd(madeUsd), formatUsd(reserved.microUsd / 1e6), usdLeft]),
      row(
        'tokens',
        [may.runTokens, tokens - reserved.tokens, reserved.tokens, Math.max(0, may.runTokens - tokens)].map(
          formatCount,
        ),
      ),
    ],
  )
  const lines = stories.map(({ id, state, usd }) => {
    const { cost_usd } = costsOfStory(spending, id)
    const left = formatUsd(leftOfStory(spending, id, may.storyUsd - usd))
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
    ...chargedLines(maybeCharged),
    ...(lines.length > 0 ? [each] : []),
    ...(spending.length > 0 ? [agentLines(spending).join('\n')] : []),
    ...(isEnded(run.state) ? [] : [`Allow more:  ${short?.command ?? `drydock budget ${run.id} --raise 5`}`]),
  ].join('\n\n')
}

/**
 * The line about interrupted replies: providers may have charged for them, so their reservation
 * counts as spent.
 */
function chargedLines({ microUsd, tokens }: BudgetView['maybeCharged']): readonly string[] {
  if (tokens === 0) return []
  const most = `${formatUsd(microUsd / 1e6)} and ${formatCount(tokens)} tokens`
  return [`Maybe charged: at most ${most}, for calls that got no whole answer. They count as spent.`]
}
