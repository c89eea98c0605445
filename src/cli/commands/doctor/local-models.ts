import { shellWord } from '../../../app/text/shell-word.ts'
import type { localServers } from '../../../compose/model-servers.ts'

type LocalServer = Awaited<ReturnType<typeof localServers>>[number]
type LocalModel = LocalServer['models'][number]

/**
 * A model server on this machine for `drydock doctor`: its models, and the option that uses the
 * best one.
 */
export interface LocalChoice {
  readonly name: string
  readonly found: string
  /** Null if none of its models can call tools. */
  readonly use: string | null
}

export function describeLocalServer({ provider, title, origin, models }: LocalServer): LocalChoice {
  const best = bestOf(models)
  const offered = models.map(describe).join('; ') || 'no model'
  const use = best && `drydock task --model ${shellWord(best.id)} "…"`
  return { name: provider, found: `${title} at ${origin}: ${offered}`, use }
}

/**
 * Prefers a model that calls tools to one for which that is unknown, and then the largest context.
 */
function bestOf(models: readonly LocalModel[]): LocalModel | null {
  const usable = models.filter(({ tools }) => tools !== false)
  const rank = ({ tools, context }: LocalModel) => (tools ? 1e12 : 0) + (context ?? 0)
  return usable.reduce<LocalModel | null>((best, each) => (best && rank(best) >= rank(each) ? best : each), null)
}

function describe({ id, tools, context }: LocalModel): string {
  const calls = tools === null ? 'tools unknown' : tools ? 'tools' : 'no tools'
  const size = context === null ? 'context unknown' : `${context} tokens`
  return `${id.slice(id.indexOf(':') + 1)} (${calls}, ${size})`
}
