import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { acceptanceArms, arms, verdicts } from '../../domain/bench/attempt-record.ts'
import { attemptOfWork } from '../../domain/bench/bench-plan.ts'
import { parsedJson } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import type { BriefRecord, CutText, KnownBench } from '../../ports/benches.ts'
import { isRunning } from '../../processes/process-mark.ts'

const key = {
  task: z.string(),
  arm: z.enum(arms),
  repeat: z.int(),
  play: z.string().nullable(),
  /** Older versions did not write this field. */
  acceptance: z.enum(acceptanceArms).nullable().default(null),
}

const settingsSchema = z.object({ suite: z.string(), digest: z.string(), models: z.string(), version: z.string() })

const planSchema = z.object({
  started_at: z.string(),
  attempts: z.array(z.object({ ...key, expected: z.enum(verdicts).nullable() })),
  process: z.object({ pid: z.int(), began: z.string().nullable() }).nullable(),
})

const recordSchema = z.object({
  ...key,
  verdict: z.enum(verdicts),
  outcome: z.string(),
  delivered: z.boolean(),
  held_by_acceptance: z.boolean().nullable().default(null),
  hidden: z.array(z.object({ command: z.string(), status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']), tail: z.string() })),
  questions: z.int(),
  returns: z.int(),
  cost_usd: z.number().nullable(),
  tokens: z.number(),
  wall_ms: z.number(),
  base: z.string(),
  commit: z.string(),
  error: z.string().exactOptional(),
})

/** The current state of the bench in a folder; null if there is none, or none that can be read. */
export async function readBenchFolder(id: string, folder: string): Promise<KnownBench | null> {
  const settings = await readAs(settingsSchema, join(folder, 'bench.json'))
  const plan = await readAs(planSchema, join(folder, 'plan.json'))
  if (settings === null || plan === null) return null
  const isGoing = plan.process !== null && isRunning(plan.process)
  const { records, writtenAt } = await readRecords(join(folder, 'attempts'))
  const { attemptBytes: most, eventBytes } = limits.evaluation
  return {
    id,
    folder,
    settings,
    plan,
    isGoing,
    records,
    working: isGoing ? await readWorking(join(folder, 'work')) : [],
    writtenAt: writtenAt ?? new Date(plan.started_at),
    record: (name) => readAs(recordSchema, join(folder, 'attempts', `${name}.json`)),
    patch: (name) => readCut(join(folder, 'patches', `${name}.patch`), { most, keeps: 'start' }),
    events: (name) => readCut(join(folder, 'events', `${name}.jsonl`), { most: eventBytes, keeps: 'end' }),
  }
}

/** Caches the content of each record, since a record is written only once. */
const read = new Map<string, { readonly at: number; readonly record: BriefRecord }>()

async function readRecords(folder: string) {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  const found = await Promise.all(names.map((name) => readBrief(join(folder, name))))
  const records = found.filter((each) => each !== null)
  const newest = Math.max(...records.map(({ at }) => at))
  return {
    records: records.map(({ record }) => record),
    writtenAt: records.length === 0 ? null : new Date(newest),
  }
}

async function readBrief(file: string) {
  const at = (await stat(file).catch(() => null))?.mtimeMs
  if (at === undefined) return null
  const known = read.get(file)
  if (known?.at === at) return known
  const whole = await readAs(recordSchema, file)
  if (whole === null) return null
  const { hidden: _, ...record } = whole
  const found = { at, record }
  // The oldest entry is evicted.
  for (const oldest of read.size < limits.evaluation.recordsRead ? [] : [...read.keys()].slice(0, 1))
    read.delete(oldest)
  read.set(file, found)
  return found
}

/** Each attempt works in its own folder, which is removed when the attempt ends. */
async function readWorking(folder: string): Promise<KnownBench['working']> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(
    names.map(async (work) => {
      const name = attemptOfWork(work)
      const made = name === null ? null : await stat(join(folder, work)).catch(() => null)
      return name === null || made === null ? null : { name, since: made.birthtime }
    }),
  )
  return found.filter((each) => each !== null)
}

interface Keeping {
  /** The most bytes. */
  readonly most: number
  readonly keeps: 'start' | 'end'
}

async function readCut(file: string, { most, keeps }: Keeping): Promise<CutText | null> {
  const handle = await open(file).catch(() => null)
  if (handle === null) return null
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, most)
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(length),
      position: keeps === 'start' ? 0 : size - length,
    })
    const text = buffer.subarray(0, bytesRead).toString('utf8')
    if (length === size) return { text, isCut: false }
    // An incomplete line is dropped.
    const line = keeps === 'start' ? text.slice(0, text.lastIndexOf('\n') + 1) : text.slice(text.indexOf('\n') + 1)
    return { text: line, isCut: true }
  } finally {
    await handle.close()
  }
}

/** Null for a file that is missing or does not match the schema. */
async function readAs<Schema extends z.ZodType>(schema: Schema, file: string): Promise<z.output<Schema> | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return schema.safeParse(parsedJson(text)).data ?? null
}
