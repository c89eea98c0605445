import { randomUUID } from 'node:crypto'
import { codersOf } from '../../app/commands/check-config.ts'
import { modelsNamed } from '../../app/commands/named-options.ts'
import { resumeCommand } from '../../app/commands/unfinished.ts'
import type { Drydock } from '../../app/drydock.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import { lastEvent, viewsOf } from '../../app/operations/views-of.ts'
import { usage } from '../../app/usage.ts'
import type { Command } from '../../domain/command.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { type Attending, type AttendOptions, attend, waiting } from './start/attend.ts'
import { attendFollowUps } from './start/attend-follow-ups.ts'

interface WithReason {
  readonly reason?: string
}

export async function cancel(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & WithReason,
): Promise<number> {
  const drydock = await open(context, options)
  const views = await viewsOf(drydock)
  const { run, story } = await views.work({ id, meant: 'unfinished' })
  const acts = await actsOf(drydock, { options })
  const { reason } = options
  const named = story === null ? run : `${run}/${story}`
  const give = () => acts.cancel({ run: named, ...(reason !== undefined && { reason }) })
  try {
    return await apply(context, { drydock, give, options, only: true, holds: false })
  } catch (error) {
    if (!isOver(error)) throw error
    const { results } = await views.results({ runs: run })
    context.output.note(`${run} has already ended: ${results[0]?.outcome?.code}`)
    return repeat(context, { drydock, run, options })
  }
}

/** True if an operation was refused because it is already done. */
function isOver(error: unknown): boolean {
  return error instanceof DrydockError && error.code === 'already_done'
}

export async function resume(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions,
  more: AttendOptions = {},
): Promise<number> {
  const drydock = await open(context, options)
  const unfinished = await (await viewsOf(drydock)).unfinished({ id })
  const { runs, last } = unfinished
  if (options.record !== undefined && runs.length > 1) {
    throw usage('--record writes one run, but several are unfinished.', `Name it: drydock resume ${runs[0]} --record …`)
  }
  if (last !== null && runs.length === 0 && last.can_continue) return retry(context, [last.run], options)
  if (last !== null && runs.length === 0) {
    context.output.note(`No run is unfinished. The last result (${last.run}) was:`)
    return repeat(context, { drydock, run: last.run, options })
  }
  if (id === undefined) {
    const exitCode = await resumeAll(context, {
      drydock,
      runs,
      command: resumeCommand(drydock, unfinished, options),
      options,
      ...more,
    })
    return attendFollowUps(context, { drydock, before: runs, exitCode, options })
  }
  const acts = await actsOf(drydock, { options })
  const named = runs.find((run) => run === last?.run)
  const give = async () => (named === undefined ? null : acts.resume({ run: named, ...onwardOf(options) }))
  return apply(context, { drydock, give, runs, options, isOptional: true, ...more })
}

interface ResumingAll extends AttendOptions {
  readonly drydock: Drydock
  readonly runs: readonly string[]
  readonly command: Command
  readonly options: CommonOptions
}

async function resumeAll(context: Context, { drydock, runs, command, options, ...more }: ResumingAll): Promise<number> {
  if (drydock.atHub !== null) throw usage('You cannot resume all runs of a hub.', 'Name one: drydock resume <run>')
  const after = await lastEvent(await viewsOf(drydock))
  for (const run of runs) context.output.emit({ type: 'run', run })
  const key = await drydock.submit(`resume/${randomUUID()}`, command)
  return attend(context, {
    drydock,
    runs,
    after,
    command: key,
    coders: await codersOf(drydock, options),
    all: true,
    own: true,
    ...waiting(context, options),
    record: options.record,
    ...more,
  })
}

/** The options with which an existing Run continues. */
function onwardOf(options: CommonOptions) {
  const models = modelsNamed(options)
  return { ...(models && { models }), ...(options.maxWait !== undefined && { max_wait_sec: options.maxWait }) }
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
  const { run, story } = await (await viewsOf(drydock)).work({ id, meant: 'retry' })
  const { guidance } = options
  const acts = await actsOf(drydock, { options })
  const named = { ...(story && { story }), ...(guidance !== undefined && { guidance }), ...onwardOf(options) }
  const give = async () => {
    const given = await acts.retry({ run, ...named })
    if (id === undefined) context.output.note(`Retrying the latest run: ${given.run}`)
    return given
  }
  return apply(context, { drydock, give, options })
}

interface Applying extends AttendOptions, Pick<Attending, 'all' | 'only' | 'holds'> {
  readonly drydock: Drydock
  /** Runs the operation. Null if there was nothing to do. */
  readonly give: () => Promise<{ readonly run: string; readonly command?: string | undefined } | null>
  /** Runs to attend instead of the one that the operation was about. */
  readonly runs?: readonly string[]
  /** True to attend the Runs even if there is nothing to do. */
  readonly isOptional?: boolean
  readonly options: CommonOptions
}

/** Runs an operation and attends its Run to the result. */
export async function apply(context: Context, applying: Applying): Promise<number> {
  const { drydock, give, options, isOptional = false, ...more } = applying
  const before = await lastEvent(await viewsOf(drydock))
  const given = await give().catch((error: unknown) => {
    if (isOptional && isOver(error)) return null
    throw error
  })
  const { runs = given === null ? [] : [given.run], ...attended } = more
  for (const run of runs) context.output.emit({ type: 'run', run })
  // A Run that is attended without an operation may have ended already.
  const since = given === null ? { after: 0 } : { after: before, ...(given.command && { command: given.command }) }
  return attend(context, {
    drydock,
    runs,
    ...since,
    coders: await codersOf(drydock, options),
    own: true,
    ...waiting(context, options),
    record: options.record,
    ...attended,
  })
}

interface Repeating extends AttendOptions, Pick<Applying, 'drydock' | 'options'> {
  readonly run: string
}

/** Prints the last result of an ended Run again, and nothing else. */
export async function repeat(context: Context, { drydock, run, options, ...more }: Repeating): Promise<number> {
  const { result } = await (await viewsOf(drydock)).work({ id: run, meant: 'built' })
  context.output.emit({ type: 'run', run })
  return attend(context, {
    drydock,
    runs: [run],
    after: (result.event ?? 1) - 1,
    coders: 1,
    own: false,
    ...waiting(context, options),
    record: options.record,
    ...more,
  })
}
