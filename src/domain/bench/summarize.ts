import type { AcceptanceArm, Arm, AttemptRecord, AttemptVerdict } from './attempt-record.ts'
import { acceptanceArms, armName, arms, verdicts } from './attempt-record.ts'
import { type Interval, wilson } from './wilson.ts'

/** The fields of a record that the figures are computed from. */
type AttemptFigures = Omit<AttemptRecord, 'hidden'>

/** The figures of one arm. Attempts in which nothing was measured count in `errors` alone. */
export interface ArmSummary {
  readonly arm: Arm
  readonly acceptance: AcceptanceArm | null
  readonly attempts: number
  readonly errors: number
  readonly resolved: Rate
  readonly false_pass: Rate
  /** Null in the arm without a gate, which blocks nothing. */
  readonly false_block: Rate | null
  /**
   * The share of handed-over attempts, green by the tests that their editors see, whose
   * hidden tests are red. Null where none was handed over, and in the arm without a gate.
   */
  readonly visible_hidden_gap: Rate | null
  /**
   * The share of attempts with acceptance tests that these held although the hidden tests
   * are green. Null where they ran in none.
   */
  readonly acceptance_false_block: Rate | null
  /** Mean per attempt. */
  readonly questions: number
  readonly returns: number
  /** Sum over all attempts; null when the price of a call is unknown. */
  readonly cost_usd: number | null
  readonly cost_usd_per_resolved: number | null
  readonly tokens: number
  /** Median over the attempts. */
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
  readonly acceptance: AcceptanceArm | null
  readonly verdicts: Readonly<Record<AttemptVerdict, number>>
}

export function summarizeArms(records: readonly AttemptFigures[]): readonly ArmSummary[] {
  const kinds = arms.flatMap((arm) => [null, ...acceptanceArms].map((acceptance) => ({ arm, acceptance })))
  return kinds.flatMap((kind) => {
    const all = records.filter((record) => armName(record) === armName(kind))
    return all.length === 0 ? [] : [summarizeArm(kind, all)]
  })
}

function summarizeArm(
  { arm, acceptance }: Pick<ArmSummary, 'arm' | 'acceptance'>,
  all: readonly AttemptFigures[],
): ArmSummary {
  const measured = all.filter(({ verdict }) => verdict !== 'error')
  const rate = (verdict: AttemptVerdict) => rateOf(measured, (record) => record.verdict === verdict)
  const handedOver = arm === 'solo' ? [] : measured.filter(({ delivered }) => delivered)
  const tested = measured.filter(({ held_by_acceptance }) => held_by_acceptance !== null)
  const costs = all.map(({ cost_usd }) => cost_usd)
  const cost = costs.every((usd) => usd !== null) ? sum(costs) : null
  const resolved = rate('resolved')
  return {
    arm,
    acceptance,
    attempts: measured.length,
    errors: all.length - measured.length,
    resolved,
    false_pass: rate('false_pass'),
    false_block: arm === 'solo' ? null : rate('false_block'),
    visible_hidden_gap: handedOver.length === 0 ? null : rateOf(handedOver, ({ verdict }) => verdict === 'false_pass'),
    acceptance_false_block: tested.length === 0 ? null : rateOf(tested, isHeldInVain),
    questions: mean(measured.map(({ questions }) => questions)),
    returns: mean(measured.map(({ returns }) => returns)),
    cost_usd: cost,
    cost_usd_per_resolved: cost === null || resolved.hits === 0 ? null : cost / resolved.hits,
    tokens: sum(all.map(({ tokens }) => tokens)),
    wall_ms: median(measured.map(({ wall_ms }) => wall_ms)),
  }
}

/** True if acceptance tests held work back on which the hidden tests are green. */
function isHeldInVain({ held_by_acceptance: isHeld, verdict }: AttemptFigures): boolean {
  return isHeld === true && (verdict === 'resolved' || verdict === 'false_block')
}

function rateOf(records: readonly AttemptFigures[], isHit: (record: AttemptFigures) => boolean): Rate {
  const hits = records.filter(isHit).length
  return { hits, of: records.length, interval: wilson(hits, records.length) }
}

/** Each task in each arm, in the order of the first attempts. */
export function summarizeTasks(records: readonly AttemptFigures[]): readonly TaskSummary[] {
  const groups = Object.values(Object.groupBy(records, (record) => `${record.task}\n${armName(record)}`))
  return groups.flatMap((group) => {
    const [first] = group ?? []
    if (!group || !first) return []
    const count = (verdict: AttemptVerdict) => group.filter((record) => record.verdict === verdict).length
    const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)]))
    const { task, arm, acceptance } = first
    return [{ task, arm, acceptance, verdicts: counts as TaskSummary['verdicts'] }]
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
