import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keepBench } from '../../../src/compose.ts'
import { type AttemptRecord, attemptName } from '../../../src/domain/bench/attempt-record.ts'
import type { BenchPlan } from '../../../src/domain/bench/bench-plan.ts'

interface BenchFiles {
  readonly plan: BenchPlan
  readonly records: readonly AttemptRecord[]
  /** Texts by path in the folder. */
  readonly files?: Readonly<Record<string, string>>
}

/** The folder of a bench in the form that a process leaves, known to the installation. */
export async function plantBench(
  env: Parameters<typeof keepBench>[0],
  folder: string,
  { plan, records, files = {} }: BenchFiles,
): Promise<void> {
  for (const name of ['attempts', 'events', 'patches']) await mkdir(join(folder, name), { recursive: true })
  const settings = { suite: 'planted', digest: 'x', models: 'ollama:x', version: '0' }
  const all = {
    'bench.json': JSON.stringify(settings),
    'plan.json': JSON.stringify(plan),
    ...Object.fromEntries(records.map((record) => [`attempts/${attemptName(record)}.json`, JSON.stringify(record)])),
    ...files,
  }
  for (const [path, text] of Object.entries(all)) await writeFile(join(folder, path), text)
  await keepBench(env, folder)
}

export function plantedRecord(more: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    task: 'a',
    arm: 'task',
    acceptance: null,
    repeat: 1,
    play: null,
    verdict: 'resolved',
    outcome: 'DONE',
    delivered: true,
    held_by_acceptance: null,
    hidden: [{ command: 'npm test', status: 'PASS', tail: 'ok' }],
    questions: 0,
    returns: 0,
    cost_usd: 0.5,
    tokens: 1_000,
    wall_ms: 2_000,
    base: 'b',
    commit: 'c',
    ...more,
  }
}
