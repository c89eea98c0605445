import type { Agent } from '../lane/lane.ts'
import { limits } from '../limits.ts'
import type { RunModels } from './run-models.ts'

/** A model that does not answer, or whose quota is used up, and its replacement. */
export interface Outage {
  readonly model: string
  readonly by: string
  readonly reason: string
  /** ISO 8601; the first and the last time that a lane left the model. */
  readonly since: string
  readonly seen: string
  /** Time of the next answer; null until then. */
  readonly back: string | null
}

/** The models of a role in order: the first one, and its fallbacks. */
export function modelsOfRole(models: RunModels, agent: Agent): readonly string[] {
  const first = models[agent]
  if (first !== null) return [first, ...(models.fallback?.[agent] ?? [])]
  // A task without a reviewer may still have tests written, by a model that is not a foreign agent.
  return [models.scout, ...(models.fallback?.scout ?? [])]
}

/** The current outage of a model, as far as is known. */
export function outageOf(outages: readonly Outage[], model: string): Outage | null {
  return outages.findLast((each) => each.model === model && each.back === null) ?? null
}

/** True if a lane should not start with the model; after a while it is worth a try. */
function isOut(outages: readonly Outage[], model: string, now: Date): boolean {
  const outage = outageOf(outages, model)
  return outage !== null && now.getTime() < Date.parse(outage.seen) + limits.fallback.retrySec * 1_000
}

/** The first available model; the first of all when none is available. */
export function modelToStartWith(names: readonly string[], outages: readonly Outage[], now: Date): string | null {
  return names.find((name) => !isOut(outages, name, now)) ?? names[0] ?? null
}

/** The next available model; null when there is none. */
export function standInFor(
  model: string,
  names: readonly string[],
  { outages, now }: { readonly outages: readonly Outage[]; readonly now: Date },
): string | null {
  return names.slice(names.indexOf(model) + 1).find((name) => !isOut(outages, name, now)) ?? null
}

/** The outages after a lane has switched from a model to another. */
export function withOutage(
  outages: readonly Outage[],
  { model, by, reason }: Pick<Outage, 'model' | 'by' | 'reason'>,
  now: Date,
): readonly Outage[] {
  const known = outageOf(outages, model)
  const seen = now.toISOString()
  if (known !== null) return outages.map((each) => (each === known ? { ...known, by, reason, seen } : each))
  return [...outages, { model, by, reason, since: seen, seen, back: null }].slice(-limits.fallback.outages)
}

/** The outages after an answer of a model. */
export function withAnswer(outages: readonly Outage[], model: string, now: Date): readonly Outage[] {
  return outages.map((each) =>
    each.model === model && each.back === null ? { ...each, back: now.toISOString() } : each,
  )
}
