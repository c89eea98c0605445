import { randomUUID } from 'node:crypto'
import type { Drydock } from '../compose.ts'
import type { Command } from '../domain/command.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { isUnresolved } from '../domain/retention.ts'
import { isEnded, type Run } from '../domain/run.ts'
import { attend } from './attend.ts'
import type { CommonOptions, Context } from './context.ts'
import { findRun, isRetryable, isUnfinished } from './find-run.ts'
import { codersOf, namedModels, open } from './open.ts'

export async function cancel(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const { run } = await look(drydock, id, isUnfinished)
  if (isEnded(run.state) && !isUnresolved(run)) {
    context.output.note(`${run.id} has ended already: ${run.state}`)
    return repeat(context, drydock, run)
  }
  return apply(context, { drydock, command: { kind: 'cancel', run: run.id }, runs: [run.id], options })
}

export async function resume(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const waiting = id === undefined ? await storedStarts(drydock) : []
  const found = waiting.length > 0 ? await look(drydock, id).catch(() => null) : await look(drydock, id)
  const known = found === null ? [] : id === undefined ? found.all : [found.run]
  const unfinished = [...known.filter(({ state }) => !isEnded(state)).map((run) => run.id), ...waiting]
  if (found !== null && unfinished.length === 0) {
    context.output.note(`Nothing is unfinished; the last result (${found.run.id}) was:`)
    return repeat(context, drydock, found.run)
  }
  const models = namedModels(context, drydock, options)
  const command = { kind: 'resume', run: id === undefined ? null : (known[0]?.id ?? null), models } as const
  return apply(context, { drydock, command, runs: unfinished, options })
}

/** Tasks that were stored by a process which ended before anyone took them up: no Runs yet. */
async function storedStarts(drydock: Drydock): Promise<readonly string[]> {
  const records = drydock.openRecords()
  const pending = (await records?.pendingCommands()) ?? []
  await records?.close()
  return pending.flatMap(({ command }) => (command.kind === 'start' ? [command.run] : []))
}

interface RetryOptions {
  readonly guidance?: string
}

export async function retry(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & RetryOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const { run } = await look(drydock, id, isRetryable)
  if (!isRetryable(run)) {
    throw new DrydockError('bad_usage', `${run.id} cannot be retried: it is ${run.state}.`, {
      todo: isEnded(run.state) ? 'Start a new task: drydock task "…"' : 'Go on with it: drydock resume',
    })
  }
  const models = namedModels(context, drydock, options)
  const command = { kind: 'retry', run: run.id, guidance: options.guidance ?? null, models } as const
  return apply(context, { drydock, command, runs: [run.id], options })
}

interface Looked {
  readonly run: Run
  readonly all: readonly Run[]
}

async function look(drydock: Drydock, id: string | undefined, isMeant?: (run: Run) => boolean): Promise<Looked> {
  const records = drydock.openRecords()
  try {
    const run = await findRun(records, id, isMeant)
    return { run, all: ((await records?.machines({ kind: 'run' })) ?? []) as readonly Run[] }
  } finally {
    await records?.close()
  }
}

interface Applying {
  readonly drydock: Drydock
  readonly command: Command
  readonly runs: readonly string[]
  readonly options: CommonOptions
}

async function apply(context: Context, { drydock, command, runs, options }: Applying): Promise<number> {
  const after = await lastEvent(drydock)
  for (const run of runs) context.output.emit({ type: 'run', run })
  const key = `${command.kind}/${randomUUID()}`
  await drydock.submit(key, command)
  return attend(context, { drydock, runs, after, command: key, coders: await codersOf(drydock, options), own: true })
}

/** Says the last result of a Run that has ended again, and only that. */
async function repeat(context: Context, drydock: Drydock, run: Run): Promise<number> {
  const records = drydock.openRecords()
  const events = (await records?.events({ run: run.id, after: 0, limit: 1_000_000 })) ?? []
  await records?.close()
  const result = events.findLast(({ type }) => type === 'result')
  context.output.emit({ type: 'run', run: run.id })
  return attend(context, { drydock, runs: [run.id], after: (result?.id ?? 1) - 1, coders: 1, own: false })
}

async function lastEvent(drydock: Drydock): Promise<number> {
  const records = drydock.openRecords()
  let after = 0
  for (;;) {
    const events = (await records?.events({ after, limit: 5_000 })) ?? []
    if (events.length === 0) break
    after = events.at(-1)?.id ?? after
  }
  await records?.close()
  return after
}
