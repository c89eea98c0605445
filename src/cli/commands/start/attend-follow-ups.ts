import { codersOf } from '../../../app/commands/check-config.ts'
import type { Drydock } from '../../../app/drydock.ts'
import { lastEvent, viewsOf } from '../../../app/operations/views-of.ts'
import { unfinishedFollowUps } from '../../../app/views/remarks.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { attend, waiting } from './attend.ts'

interface Attending {
  readonly drydock: Drydock
  /** The Run whose follow-ups are attended; absent for the follow-ups of any Run. */
  readonly about?: string
  /** Runs that were already attended, with their exit code. */
  readonly before: readonly string[]
  readonly exitCode: number
  readonly options: CommonOptions
}

/**
 * Attends the follow-up Runs that began when others ended, for remarks that had waited. Returns the
 * first exit code that tells of a problem.
 */
export async function attendFollowUps(context: Context, attending: Attending): Promise<number> {
  const { drydock, about, options } = attending
  const attended = new Set(attending.before)
  let { exitCode } = attending
  // After an interruption, or with an open question, no further Run is attended.
  while (exitCode === 0 || exitCode === 3) {
    const runs = (await unfinishedFollowUps(drydock, about)).filter((run) => !attended.has(run))
    if (runs.length === 0) break
    for (const run of runs) attended.add(run)
    const after = await lastEvent(await viewsOf(drydock))
    const coders = await codersOf(drydock, options)
    const next = await attend(context, { drydock, runs, after, coders, own: true, ...waiting(context, options) })
    exitCode = exitCode === 0 || next > 3 ? next : exitCode
  }
  return exitCode
}
