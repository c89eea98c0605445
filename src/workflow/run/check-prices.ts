import { DrydockError } from '../../domain/drydock-error.ts'
import { agentNameOf, modelId } from '../../domain/model-name.ts'
import { type Budget, dollarsBind, withRunUsd } from '../../domain/run/budget.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import { namesIn, type RunModels } from '../../domain/run/run-models.ts'
import type { RunPolicy } from '../../domain/run/run-policy.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

/** The models of a Run without a known price: a bound in dollars cannot cover them. */
export async function unpricedModels(
  { prices }: Pick<WorkflowDependencies, 'prices'>,
  models: RunModels | null,
): Promise<readonly string[]> {
  // The cost of an agent's models shows with each call.
  const names = namesIn(models).filter((name) => agentNameOf(name) === null)
  const ids = [...new Set(names.map(modelId))]
  const known = await Promise.all(ids.map((id) => prices.knows(id)))
  return ids.filter((_, i) => !known[i])
}

interface PriceCheckInput {
  readonly budget: Budget
  readonly config: { readonly dollarsNamed?: boolean }
  /** Budget in dollars that was given for this Run alone. */
  readonly budgetUsd: number | null
}

/**
 * Throws DrydockError `no_price` if the given budget in dollars could not be enforced, or if
 * nothing at all would bound the models' cost.
 */
export function checkPrices(unpriced: readonly string[], { budget, ...named }: PriceCheckInput): void {
  if (unpriced.length === 0) return
  if (dollarsBind(budget, named)) throw noPrice(unpriced, budget)
  if (budget.runTokens > 0) return
  throw new DrydockError('no_price', `The price of ${unpriced.join(', ')} is not known, and budget.run_tokens is 0.`, {
    todo: `Allow tokens in your config.json ("budget": { "run_tokens": 20000000 }), or ${pricing(unpriced)}.`,
  })
}

/** A Run before its start, with the configuration that it would have. */
export interface PricedStart {
  readonly models: RunModels
  readonly policy: RunPolicy
  readonly budgetUsd: number | null
  readonly config: Pick<RunConfig, 'budget' | 'dollarsNamed'>
}

export async function checkRunPrices(
  deps: Pick<WorkflowDependencies, 'prices'>,
  { models, policy, budgetUsd, config }: PricedStart,
): Promise<void> {
  const budget = withRunUsd(config.budget, budgetUsd, policy)
  checkPrices(await unpricedModels(deps, models), { budget, config, budgetUsd })
}

/** The error for a budget in dollars that cannot be enforced. */
export function noPrice(unpriced: readonly string[], { runUsd }: Budget): DrydockError {
  const message = `The price of ${unpriced.join(', ')} is not known, so a budget of $${runUsd} cannot be kept.`
  return new DrydockError('no_price', message, {
    todo: `Before it continues, ${pricing(unpriced)} (0 if it costs nothing). Or name no dollars, and bound it by tokens: "budget": { "run_tokens": 2000000 }.`,
  })
}

function pricing([model = '']: readonly string[]): string {
  return `put its price per million tokens into your config.json: "prices": { "${model}": { "input": …, "output": … } }`
}

/** Tells the user who started the Run that only its tokens are bounded. */
export async function announceUnpriced(
  tx: Transaction,
  { id, data: { base } }: Run,
  { models, budget }: { readonly models: readonly string[]; readonly budget: Budget },
): Promise<void> {
  if (models.length === 0 || base !== null) return
  const data = { models, run_tokens: budget.runTokens }
  await tx.appendEvent({ run: id, story: null, type: 'unpriced', data })
}
