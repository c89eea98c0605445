import type { Budget } from '../domain/budget.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { Run } from '../domain/run.ts'
import type { Transaction } from '../ports/store.ts'
import type { WorkflowDependencies } from './dependencies.ts'

/** The models of a Run whose price is not known: no bound in dollars holds for them. */
export async function unpricedModels(
  { prices }: Pick<WorkflowDependencies, 'prices'>,
  { data: { models } }: Run,
): Promise<readonly string[]> {
  const ids = [...new Set(Object.values(models ?? {}))].filter((id) => id !== null)
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  const costs = await Promise.all(ids.map((id) => prices.cost(id, nothing)))
  return ids.filter((_, i) => costs[i] === null)
}

/** DrydockError `no_price` when nothing at all would bound what the models cost. */
export function checkPrices(unpriced: readonly string[], { budget }: { readonly budget: Budget }): void {
  const [model] = unpriced
  if (model === undefined || budget.runTokens > 0) return
  throw new DrydockError('no_price', `No price of ${unpriced.join(', ')} is known, and budget.run_tokens is 0`, {
    todo: `Allow tokens in your config.json ("budget": { "run_tokens": 20000000 }), or give the price: "prices": { "${model}": { "input": …, "output": … } }. Then: drydock resume`,
  })
}

/** Whoever started the Run hears that only its tokens are bounded. */
export async function announceUnpriced(
  tx: Transaction,
  { id, data: { base } }: Run,
  { models, budget }: { readonly models: readonly string[]; readonly budget: Budget },
): Promise<void> {
  if (models.length === 0 || base !== null) return
  const data = { models, run_tokens: budget.runTokens }
  await tx.appendEvent({ run: id, story: null, type: 'unpriced', data })
}
