import { randomUUID } from 'node:crypto'
import { cancelCommand } from '../../app/commands/cancel.ts'
import { codersOf } from '../../app/commands/check-config.ts'
import { canContinue, findUnfinished } from '../../app/commands/resume.ts'
import { retryCommand } from '../../app/commands/retry.ts'
import type { Drydock } from '../../app/drydock.ts'
import { usage } from '../../app/usage.ts'
import { isUnfinished, lookUp } from '../../app/views/find/find-work.ts'
import { lastEvent, lastResult } from '../../app/views/last-events.ts'
import { outcomeNow } from '../../app/views/outcome-now.ts'
import type { Command } from '../../domain/command.ts'
import type { Run } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { type Attended, type Attending, attend, waiting } from './start/attend.ts'
import { attendFollowUps } from './start/attend-follow-ups.ts'

export async function cancel(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const work = await lookUp(drydock, id, isUnfinished)
  const { run } = work
  const command = cancelCommand(work)
  if (command !== null) return apply(context, { drydock, command, runs: [run.id], options, only: true, holds: false })
  const { code } = await outcomeNow(drydock, run)
  context.output.note(`${run.id} has already ended: ${code}`)
  return repeat(context, { drydock, run, options })
}

export async function resume(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions,
  more: Attended = {},
): Promise<number> {
  const drydock = await open(context, options)
  const { runs, last, command } = await findUnfinished(drydock, id)
  if (options.record !== undefined && runs.length > 1) {
    throw usage('--record writes one run, but several are unfinished.', `Name it: drydock resume ${runs[0]} --record …`)
  }
  if (last !== null && runs.length === 0 && canContinue(last)) return retry(context, [last.id], options)
  if (last !== null && runs.length === 0) {
    context.output.note(`No run is unfinished. The last result (${last.id}) was:`)
    return repeat(context, { drydock, run: last, options })
  }
  const all = id === undefined
  const exitCode = await apply(context, { drydock, command: command(options), runs, options, all, ...more })
  return all ? attendFollowUps(context, { drydock, before: runs, exitCode, options }) : exitCode
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
  const command = await retryCommand(drydock, id, { guidance: options.guidance ?? null, options })
  if (id === undefined && command.kind === 'retry') context.output.note(`Retrying the latest run: ${command.run}`)
  return apply(context, { drydock, command, runs: [command.run], options })
}

interface Applying extends Attended, Pick<Attending, 'all' | 'only' | 'holds'> {
  readonly drydock: Drydock
  /** Null to attend them as they are. */
  readonly command: Command | null
  readonly runs: readonly string[]
  readonly options: CommonOptions
}

/** Stores a command and attends its runs to their results. */
export async function apply(context: Context, { drydock, command, runs, options, ...more }: Applying): Promise<number> {
  // What is attended as it is may have ended meanwhile.
  const after = command === null ? 0 : await lastEvent(drydock)
  for (const run of runs) context.output.emit({ type: 'run', run })
  const key = command && (await drydock.submit(`${command.kind}/${randomUUID()}`, command))
  return attend(context, {
    ...{ drydock, runs, after, ...(key !== null && { command: key }), coders: await codersOf(drydock, options) },
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
  const result = await lastResult(drydock, run.id)
  context.output.emit({ type: 'run', run: run.id })
  return attend(context, {
    ...{ drydock, runs: [run.id], after: (result?.id ?? 1) - 1, coders: 1, own: false },
    ...{ ...waiting(context, options), record: options.record, ...more },
  })
}
