import { type AskedProvider, askProviders } from '../../../app/commands/ask-providers.ts'
import type { Installation } from '../../../app/installation.ts'
import { askProviderOf } from '../../../compose/model-servers.ts'
import { errorCatalogue } from '../../../domain/drydock-error.ts'
import type { Check } from './check.ts'

/**
 * Asks every provider that is configured or has a key for its models, which costs nothing. `models`
 * are the ids in use. The failure of a provider that is not in use is only a remark, as long as
 * some model is in use.
 */
export async function checkProviders(
  drydock: Pick<Installation, 'user' | 'env'>,
  models: readonly string[],
): Promise<Check[]> {
  const asked = await askProviders(drydock, models, askProviderOf(drydock))
  return asked.map((each) => asCheck(each, models.length === 0 || each.isUsed))
}

function asCheck({ name, found, problem }: AskedProvider, isNeeded: boolean): Check {
  if (problem === null) return { name: 'provider', ok: true, found, exit: 0 }
  const told = { name: 'provider', fix: problem.todo, consequence: `No model of ${name} can be used.` }
  if (isNeeded) return { ...told, ok: false, found, exit: errorCatalogue[problem.code].exit }
  return { ...told, ok: true, found: `${found} (no role uses it)`, exit: 0 }
}
