import type { Arm, AttemptRecord, AttemptVerdict } from './attempt-record.ts'
import { arms, verdicts } from './attempt-record.ts'
import { type Interval, wilson } from './wilson.ts'

/** The fields of a record that figures are made of. */
type Measured = Omit<AttemptRecord, 'hidden'>

/** The figures of one arm. Attempts in which nothing was measured count in `errors` alone. */
export interface ArmSummary {
  readonly arm: Arm
  readonly attempts: number
  readonly errors: number
  readonly resolved: Rate
  readonly false_pass: Rate
  /** Null in the arm without a gate, which blocks nothing. */
  readonly false_block: Rate | null
  /** Mean of an attempt. */
  readonly questions: number
  readonly returns: number
  /** Of all attempts together; null when the price of a call is not known. */
  readonly cost_usd: number | null
  readonly cost_usd_per_resolved: number | null
  readonly tokens: number
  /** Median of an attempt. */
  readonly wall_ms: number | null
}

export interface Rate {
  readonly hits: number
  readonly of: number
  readonly interval: Interval | null
}

export interface TaskSummary {
  readonly task: string
  readonly arm: Arm
  readonly verdicts: Readonly<Record<AttemptVerdict, number>>
}

export function summarizeArms(records: readonly Measured[]): readonly ArmSummary[] {
  return arms.flatMap((arm) => {
    const all = records.filter((record) => record.arm === arm)
    return all.length === 0 ? [] : [summarizeArm(arm, all)]
  })
}

function summarizeArm(arm: Arm, all: readonly Measured[]): ArmSummary {
  const measured = all.filter(({ verdict }) => verdict !== 'error')
  const rate = (verdict: AttemptVerdict): Rate => {
    const hits = measured.filter((record) => record.verdict === verdict).length
    return { hits, of: measured.length, interval: wilson(hits, measured.length) }
  }
  const costs = all.map(({ cost_usd }) => cost_usd)
  const cost = costs.every((usd) => usd !== null) ? sum(costs) : null
  const resolved = rate('resolved')
  return {
    ...{ arm, attempts: measured.length, errors: all.length - measured.length, resolved },
    ...{ false_pass: rate('false_pass'), false_block: arm === 'solo' ? null : rate('false_block') },
    questions: mean(measured.map(({ questions }) => questions)),
    returns: mean(measured.map(({ returns }) => returns)),
    cost_usd: cost,
    cost_usd_per_resolved: cost === null || resolved.hits === 0 ? null : cost / resolved.hits,
    tokens: sum(all.map(({ tokens }) => tokens)),
    wall_ms: median(measured.map(({ wall_ms }) => wall_ms)),
  }
}

/** Each task in each arm, in the order of the first attempts. */
export function summarizeTasks(records: readonly Measured[]): readonly TaskSummary[] {
  const groups = Object.values(Object.groupBy(records, ({ task, arm }) => `${task}\n${arm}`))
  return groups.flatMap((group) => {
    const [first] = group ?? []
    if (!group || !first) return []
    const count = (verdict: AttemptVerdict) => group.filter((record) => record.verdict === verdict).length
    const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)]))
    return [{ task: first.task, arm: first.arm, verdicts: counts as TaskSummary['verdicts'] }]
  })
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] ?? null
  return sorted.length === 0 ? null : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
