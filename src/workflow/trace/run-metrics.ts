import type { ModelCall } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'
import type { Attributes, Metric, Point } from '../../ports/telemetry.ts'
import { modelAttributes } from './model-attributes.ts'
import { kindOfError } from './spans-of-event.ts'

const tokenBounds = Array.from({ length: 14 }, (_, n) => 4 ** n)
const secondBounds = Array.from({ length: 14 }, (_, n) => Number((0.01 * 2 ** n).toFixed(2)))

/**
 * The metrics of a Run so far, from its rows. They are totals, so that sending them again is
 * harmless. Empty before the first model call.
 */
export async function metricsOf(records: Records, run: string): Promise<readonly Metric[]> {
  const calls = await records.modelCalls(run)
  const [first] = calls
  if (first === undefined) return []
  const start = new Date(first.startedAt)
  const at = new Date(Math.max(...calls.map(endOf)))
  const used = calls.flatMap(({ usage, ...call }) =>
    usage === null
      ? []
      : [
          { attributes: { ...common(call), 'gen_ai.token.type': 'input' }, value: usage.input },
          { attributes: { ...common(call), 'gen_ai.token.type': 'output' }, value: usage.output },
        ],
  )
  const took = calls.map((call) => ({
    attributes: { ...common(call), ...(call.error !== null && { 'error.type': kindOfError(call.error) }) },
    value: call.durationMs / 1_000,
  }))
  const cost = calls.flatMap((call) =>
    call.costMicroUsd === null ? [] : [{ attributes: common(call), value: call.costMicroUsd / 1e6 }],
  )
  const metrics: readonly (Omit<Metric, 'points'> & { readonly values: readonly Value[] })[] = [
    {
      name: 'gen_ai.client.token.usage',
      unit: '{token}',
      description: 'Number of input and output tokens used.',
      start,
      at,
      bounds: tokenBounds,
      values: used,
    },
    {
      name: 'gen_ai.client.operation.duration',
      unit: 's',
      description: 'GenAI operation duration.',
      start,
      at,
      bounds: secondBounds,
      values: took,
    },
    {
      name: 'drydock.cost',
      unit: '{USD}',
      description: 'Dollars that calls of models with a known price have cost.',
      start,
      at,
      bounds: null,
      values: cost,
    },
  ]
  return metrics.flatMap(({ values, ...metric }) =>
    values.length === 0 ? [] : [{ ...metric, points: pointsOf(values, metric.bounds) }],
  )
}

function endOf({ startedAt, durationMs }: ModelCall): number {
  return Date.parse(startedAt) + durationMs
}

function common({ model }: Pick<ModelCall, 'model'>): Attributes {
  return { 'gen_ai.operation.name': 'chat', ...modelAttributes(model) }
}

interface Value {
  readonly attributes: Attributes
  readonly value: number
}

function pointsOf(values: readonly Value[], bounds: readonly number[] | null): readonly Point[] {
  const groups = Map.groupBy(values, ({ attributes }) => JSON.stringify(attributes))
  return [...groups.values()].map((group) => {
    const buckets = bounds === null ? [] : Array<number>(bounds.length + 1).fill(0)
    for (const { value } of bounds === null ? [] : group) {
      const bucket = bounds?.findIndex((bound) => value <= bound) ?? -1
      const place = bucket < 0 ? buckets.length - 1 : bucket
      buckets[place] = (buckets[place] ?? 0) + 1
    }
    const sum = group.reduce((total, { value }) => total + value, 0)
    return { attributes: group[0]?.attributes ?? {}, count: group.length, sum, buckets }
  })
}
