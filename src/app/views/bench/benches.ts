import type { Bench, BenchAttempt, BenchAttemptDetail, BenchLine, BenchList } from '../../../api/benches.ts'
import { type AttemptVerdict, attemptName, verdicts } from '../../../domain/bench/attempt-record.ts'
import type { PlannedAttempt } from '../../../domain/bench/bench-plan.ts'
import { summarizeArms } from '../../../domain/bench/summarize.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { isObject, parsedJson } from '../../../domain/json.ts'
import { limits } from '../../../domain/limits.ts'
import type { Benches, BriefRecord, KnownBench } from '../../../ports/benches.ts'

/** The data for the pages about runs of `drydock bench`. */
export interface BenchViews {
  /** Lists the bench runs, newest first. */
  list(): Promise<BenchList>
  /** Reads one bench run. Throws DrydockError `not_found`. */
  one(id: string): Promise<Bench>
  /** Reads one attempt of a bench run. Throws DrydockError `not_found`. */
  attempt(id: string, name: string): Promise<BenchAttemptDetail>
}

export function createBenchViews(benches: Benches): BenchViews {
  return {
    list: () => readBenches(benches),
    one: (id) => readBench(benches, id),
    attempt: (id, name) => readBenchAttempt(benches, id, name),
  }
}

async function readBenches(benches: Benches): Promise<BenchList> {
  const lines = (await benches.list()).map(lineOf)
  return { benches: lines.toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1)) }
}

async function readBench(benches: Benches, id: string): Promise<Bench> {
  const bench = await findBench(benches, id)
  const { line, made } = standing(bench)
  const attempts = made.map(attemptOf)
  return { ...line, arms: [...summarizeArms(made.flatMap(({ record }) => record ?? []))], attempts }
}

async function readBenchAttempt(benches: Benches, id: string, name: string): Promise<BenchAttemptDetail> {
  const bench = await findBench(benches, id)
  // Only planned attempts have files, so an invented name cannot read any.
  const found = standing(bench).made.find((each) => attemptName(each.planned) === name)
  if (found === undefined) {
    throw new DrydockError('not_found', `The bench ${id} has no attempt "${name}".`, {
      todo: 'The page of the bench lists its attempts.',
    })
  }
  const [record, patch, log] = await Promise.all([bench.record(name), bench.patch(name), bench.events(name)])
  const lines = log?.text.split('\n').filter((line) => line.startsWith('{')) ?? []
  const newest = lines.slice(-limits.evaluation.events)
  return {
    ...attemptOf(found),
    hidden: [...(record?.hidden ?? [])],
    patch: patch && { text: patch.text, truncated: patch.isCut },
    events: newest.flatMap(eventOf).toReversed(),
    older_events: log?.isCut === true || newest.length < lines.length,
  }
}

async function findBench(benches: Benches, id: string): Promise<KnownBench> {
  const found = await benches.one(id)
  if (found !== null) return found
  throw new DrydockError('not_found', `This installation knows no bench "${id}".`, {
    todo: 'Look at the list of benches. One whose folder was moved or removed is not known any more.',
  })
}

interface AttemptInput {
  readonly planned: PlannedAttempt
  readonly record: BriefRecord | null
  /** The start time while the attempt is running; null otherwise. */
  readonly since: Date | null
}

function lineOf(bench: KnownBench): BenchLine {
  return standing(bench).line
}

/** The planned attempts of a bench run, each with its result so far. */
function standing(bench: KnownBench): { readonly line: BenchLine; readonly made: readonly AttemptInput[] } {
  const { id, folder, settings, plan, isGoing } = bench
  const records = new Map(bench.records.map((record) => [attemptName(record), record]))
  const working = new Map(bench.working.map(({ name, since }) => [name, since]))
  const made = plan.attempts.map((planned): AttemptInput => {
    const name = attemptName(planned)
    return { planned, record: records.get(name) ?? null, since: working.get(name) ?? null }
  })
  const ended = made.flatMap(({ record, since }) => (record === null || since !== null ? [] : [record]))
  const count = (verdict: AttemptVerdict) => ended.filter((record) => record.verdict === verdict).length
  const isWhole = ended.length === made.length
  const expecting = made.filter(({ planned }) => planned.expected !== null)
  const costs = ended.map(({ cost_usd }) => cost_usd)
  const line: BenchLine = {
    id,
    folder,
    suite: settings.suite,
    models: settings.models,
    version: settings.version,
    state: isGoing ? 'going' : isWhole ? 'finished' : 'stopped',
    started_at: plan.started_at,
    ended_at: isGoing ? null : bench.writtenAt.toISOString(),
    planned: made.length,
    finished: ended.length,
    verdicts: Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as BenchLine['verdicts'],
    unexpected:
      expecting.length === 0
        ? null
        : expecting.filter(({ planned, record }) => record !== null && record.verdict !== planned.expected).length,
    cost_usd: costs.every((usd) => usd !== null) ? costs.reduce((sum, usd) => sum + usd, 0) : null,
    tokens: ended.reduce((sum, { tokens }) => sum + tokens, 0),
  }
  return { line, made }
}

function attemptOf({ planned, record, since }: AttemptInput): BenchAttempt {
  const { task, arm, acceptance, repeat, play, expected } = planned
  return {
    name: attemptName(planned),
    task,
    arm,
    acceptance,
    repeat,
    play,
    expected,
    state: since !== null ? 'working' : record === null ? 'waiting' : 'finished',
    since: since?.toISOString() ?? null,
    // A repeated attempt has no result while it is running.
    result:
      record && since === null
        ? {
            verdict: record.verdict,
            outcome: record.outcome,
            delivered: record.delivered,
            held_by_acceptance: record.held_by_acceptance,
            questions: record.questions,
            returns: record.returns,
            cost_usd: record.cost_usd,
            tokens: record.tokens,
            wall_ms: record.wall_ms,
            base: record.base,
            commit: record.commit,
            error: record.error ?? null,
          }
        : null,
  }
}

/** Parses one line of `--json`; empty for an incomplete line, which a killed process can leave. */
function eventOf(line: string): BenchAttemptDetail['events'] {
  const event = parsedJson(line)
  if (!isObject(event)) return []
  const { type, story, at, id: _, run: __, ...data } = event
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return [{ type: String(type), story: text(story), at: text(at), data }]
}
