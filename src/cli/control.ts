import { randomUUID } from 'node:crypto'
import type { Drydock } from '../compose.ts'
import type { Command } from '../domain/command.ts'
import { isUnresolved } from '../domain/run/retention.ts'
import { hasCrew, isEnded, type Run } from '../domain/run/run.ts'
import type { CommonOptions, Context } from './context.ts'
import { findWork, isRetryable, isUnfinished, type Work } from './find-run.ts'
import { codersOf, namedModels, open } from './open.ts'
import { outcomeNow } from './outcome-now.ts'
import { reading } from './reading.ts'
import { retryCrew } from './retry-story.ts'
import { type Attended, type Attending, attend, waiting } from './start/attend.ts'
import { namedMaxWait } from './start/max-wait.ts'
import { usage } from './usage.ts'

export async function cancel(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const { run, story } = await look(drydock, id, isUnfinished)
  if (hasCrew(run) && story !== null) {
    throw usage('A single story of a run cannot be cancelled.', `The whole run can: drydock cancel ${run.id}`)
  }
  if (isEnded(run.state) && !isUnresolved(run)) {
    const now = await reading(drydock, async (records) => records && outcomeNow(drydock, records, run))
    context.output.note(`${run.id} has ended already: ${now?.code ?? run.state}`)
    return repeat(context, { drydock, run, options })
  }
  const command = { kind: 'cancel', run: run.id } as const
  return apply(context, { drydock, command, runs: [run.id], options, only: true, holds: false })
}

export async function resume(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions,
  more: Attended = {},
): Promise<number> {
  const drydock = await open(context, options)
  if (options.budgetUsd !== undefined) {
    context.output.note(
      '--budget-usd is for new runs; this one keeps its budget. More for it: drydock budget --raise 5',
    )
  }
  const waiting = id === undefined ? await storedStarts(drydock) : []
  const found = waiting.length > 0 ? await look(drydock, id).catch(() => null) : await look(drydock, id)
  const known = (found === null ? [] : id === undefined ? found.all : [found.run]).filter(isUnfinished)
  const unfinished = [...known.map((run) => run.id), ...waiting.map((start) => start.run)]
  if (options.record !== undefined && unfinished.length > 1) {
    throw usage(
      '--record writes one run, and several are unfinished.',
      `Name it: drydock resume ${unfinished[0]} --record …`,
    )
  }
  if (found !== null && unfinished.length === 0) {
    context.output.note(`Nothing is unfinished; the last result (${found.run.id}) was:`)
    return repeat(context, { drydock, run: found.run, options })
  }
  const crew = known.some(hasCrew) || waiting.some(({ request }) => request.kind === 'spec')
  const models = namedModels(context, drydock, options, { crew })
  const meant = id === undefined ? null : (known[0]?.id ?? null)
  const command = { kind: 'resume', run: meant, models, ...namedMaxWait(context, drydock, options) } as const
  return apply(context, { drydock, command, runs: unfinished, options, all: id === undefined, ...more })
}

type StoredStart = Extract<Command, { kind: 'start' }>

/** What was stored by a process which ended before anyone took it up: no Runs yet. */
export async function storedStarts(drydock: Drydock): Promise<readonly StoredStart[]> {
  const pending = await reading(drydock, async (records) => (await records?.pendingCommands()) ?? [])
  return pending.flatMap(({ command }) => (command.kind === 'start' ? [command] : []))
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
  const work = await look(drydock, id, () => true)
  const { run } = work
  const guidance = options.guidance ?? null
  if (id === undefined && (run.state === 'CANCELLED' || !(isRetryable(run) || hasCrew(run)))) throw notRetried(work)
  const models = namedModels(context, drydock, options, { crew: hasCrew(run) })
  if (hasCrew(run)) {
    const command = await reading(drydock, (records) => retryCrew(records, work, { guidance, models }))
    // An answer cannot name a model; what comes first is applied first.
    if (command.kind === 'reply' && models !== null)
      await drydock.submit(`resume/${randomUUID()}`, { kind: 'resume', run: run.id, models })
    return apply(context, { drydock, command, runs: [run.id], options })
  }
  if (!isRetryable(run)) {
    throw usage(
      `${run.id} cannot be retried: it is ${run.state}.`,
      isEnded(run.state) ? 'Start a new task: drydock task "…"' : 'Go on with it: drydock resume',
    )
  }
  if (id === undefined) context.output.note(`Retrying the latest run: ${run.id}`)
  const more = namedMaxWait(context, drydock, options)
  const command = { kind: 'retry', run: run.id, guidance, models, ...more } as const
  return apply(context, { drydock, command, runs: [run.id], options })
}

/** Without an id the latest run is meant, and no other; what was cancelled must be named. */
function notRetried({ run, all }: Looked) {
  const others = all.filter(isRetryable).map(({ id, state }) => `${id} (${state})`)
  return usage(
    `The latest run, ${run.id}, cannot be retried${run.state === 'CANCELLED' ? ' unnamed' : ''}: it is ${run.state}.`,
    others.length === 0
      ? 'Start a new task: drydock task "…"'
      : `Name one: drydock retry <id>, of ${others.join(', ')}`,
  )
}

interface Looked extends Work {
  readonly all: readonly Run[]
}

function look(drydock: Drydock, id: string | undefined, isMeant?: (run: Run) => boolean): Promise<Looked> {
  return reading(drydock, async (records) => {
    const work = await findWork(records, id, isMeant)
    return { ...work, all: ((await records?.machines({ kind: 'run' })) ?? []) as readonly Run[] }
  })
}

interface Applying extends Attended, Pick<Attending, 'all' | 'only' | 'holds'> {
  readonly drydock: Drydock
  readonly command: Command
  readonly runs: readonly string[]
  readonly options: CommonOptions
}

/** Stores a command and attends its runs to their results. */
export async function apply(context: Context, { drydock, command, runs, options, ...more }: Applying): Promise<number> {
  const after = await lastEvent(drydock)
  for (const run of runs) context.output.emit({ type: 'run', run })
  const key = `${command.kind}/${randomUUID()}`
  await drydock.submit(key, command)
  return attend(context, {
    ...{ drydock, runs, after, command: key, coders: await codersOf(drydock, options) },
    ...{ own: true, ...waiting(context, options), record: options.record, ...more },
  })
}

interface Repeating extends Attended {
  readonly drydock: Drydock
  readonly run: Run
  readonly options: CommonOptions
}

/** Says the last result of a Run that has ended again, and only that. */
export async function repeat(context: Context, { drydock, run, options, ...more }: Repeating): Promise<number> {
  const [result] = await reading(
    drydock,
    async (records) => (await records?.recentEvents({ run: run.id, types: ['result'], limit: 1 })) ?? [],
  )
  context.output.emit({ type: 'run', run: run.id })
  return attend(context, {
    ...{ drydock, runs: [run.id], after: (result?.id ?? 1) - 1, coders: 1, own: false },
    ...{ ...waiting(context, options), record: options.record, ...more },
  })
}

function lastEvent(drydock: Drydock): Promise<number> {
  return reading(drydock, async (records) => (await records?.lastEvent()) ?? 0)
}
