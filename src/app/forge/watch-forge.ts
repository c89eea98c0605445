import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { isAtRest } from '../../domain/run/outcome.ts'
import { isEnded } from '../../domain/run/run.ts'
import { runStates } from '../../domain/run/run-machine.ts'
import type { Drydock } from '../drydock.ts'
import { reading } from '../reading.ts'
import type { createBell } from '../wait/bell.ts'
import { questionsOf } from '../wait/waits-for.ts'
import { openChanges } from './open-changes.ts'
import { type Memory, pollForge } from './poll-forge.ts'
import { takenIssues } from './take-issues.ts'
import type { Watching } from './watching.ts'

export interface ForgeWatch extends Pick<Watching, 'receipts' | 'remote' | 'options' | 'say'> {
  /** Name of the forge; null for the forge that the remote's URL names. */
  readonly name: string | null
  /** Overrides the user's configuration of the forge. */
  readonly label: string | undefined
  readonly interval: number | undefined
  /**
   * `after_poll` ends after one poll; `at_rest` ends when no work is left and everything is
   * reported.
   */
  readonly ends: 'never' | 'after_poll' | 'at_rest'
  /**
   * Called once the watch has started. A watch that ends by itself has also polled the forge by
   * then, since a failure would end it.
   */
  readonly onReady?: () => void
  readonly stop: AbortSignal
  /** Rings on each commit to the state and on each webhook. */
  readonly bell: ReturnType<typeof createBell>
  /** Listens for webhooks of the named forge; null if the user has not configured any. */
  readonly listen: (forge: string) => Promise<{ close(): void } | null>
}

/**
 * Watches one repository at its forge until `stop`. An error of the forge ends the watch only if it
 * polls once. Throws DrydockError `forge_unknown`, `no_forge_token`, `already_watched`.
 */
export async function watchForge(drydock: Drydock, watch: ForgeWatch): Promise<void> {
  const { receipts, remote, options, say, stop, bell } = watch
  const forge = await drydock.openForge(await drydock.remotes.url(remote), watch.name)
  const configured = drydock.user.forges[forge.name]?.watch
  const label = watch.label ?? configured?.label ?? limits.forge.label
  const intervalMs = (watch.interval ?? configured?.interval_sec ?? limits.forge.intervalSec) * 1_000
  const lock = await drydock.lockForgeWatch()
  if (lock === null) throw watched()
  await using closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  const calls = await drydock.openForgeCalls()
  closing.defer(() => calls.close())
  const webhook = watch.ends === 'never' ? await watch.listen(forge.name) : null
  closing.defer(() => webhook?.close())
  const given = { drydock, forge, calls, receipts, remote, label, options, say }
  const memory: Memory = { problems: new Map(), later: new Map(), strangers: new Map() }
  stop.addEventListener('abort', bell.hurry, { once: true })
  if (watch.ends === 'never') watch.onReady?.()
  let failures = 0
  while (!stop.aborted) {
    const before = await restOf(given)
    const failure = await failureOf(pollForge(given, memory))
    if (failure !== null && watch.ends !== 'never') throw failure
    tellFailure(failure, { say, memory, name: forge.name })
    failures = failure === null ? 0 : failures + 1
    if (watch.ends !== 'never') watch.onReady?.()
    const waitMs = waitAfter(failure, { failures, intervalMs })
    if (watch.ends === 'after_poll' || (await sleep({ watch, given, before, waitMs, failed: failure !== null }))) return
  }
}

/** Reports a failure once, and its end once. */
function tellFailure(
  failure: DrydockError | null,
  { say, memory: { problems }, name }: Pick<ForgeWatch, 'say'> & { readonly memory: Memory; readonly name: string },
): void {
  const before = problems.get(poll)
  if (failure === null) problems.delete(poll)
  else problems.set(poll, failure.code)
  if (failure === null && before !== undefined) say({ what: 'recovered', text: `${name} answers again.` })
  if (failure === null || before === failure.code) return
  const { message: text, code, todo } = failure
  say({ what: 'problem', text, code, todo })
}

const poll = 'poll'

/**
 * The wait until the next poll. A refused token may become valid again, but frequent polling does
 * not help, so the wait is long.
 */
function waitAfter(
  failure: DrydockError | null,
  { failures, intervalMs }: { readonly failures: number; readonly intervalMs: number },
): number {
  if (failure === null) return intervalMs
  const slow = Math.max(limits.forge.slowMs, intervalMs)
  if (failure.code === 'forge_refused' || failure.code === 'forge_not_found') return slow
  return Math.min(intervalMs * 2 ** Math.min(failures, 20), slow)
}

async function failureOf(work: Promise<void>): Promise<DrydockError | null> {
  try {
    await work
    return null
  } catch (error) {
    if (error instanceof DrydockError) return error
    throw error
  }
}

interface Rest {
  /** The questions and results that are reported at once. */
  readonly told: string
  /** True if no Run is working. */
  readonly quiet: boolean
}

interface Sleeping {
  readonly watch: ForgeWatch
  readonly given: WatchParts
  readonly before: Rest
  readonly waitMs: number
  readonly failed: boolean
}

type WatchParts = Pick<Watching, 'drydock' | 'calls' | 'forge'>

/**
 * Waits for the next poll: for its time, for the end of some work, for a question, or for a
 * webhook. Returns true if the watch is over because no work is left.
 */
async function sleep({ watch, given, before, waitMs, failed }: Sleeping): Promise<boolean> {
  const until = Date.now() + waitMs
  for (;;) {
    const now = await restOf(given)
    // After a failure only time ends the wait: news cannot be sent to a forge that does not answer.
    if (!failed && now.told !== before.told) return false
    if (watch.ends === 'at_rest' && now.quiet) return true
    const left = until - Date.now()
    if (left <= 0 || watch.stop.aborted) return false
    const hurried = await watch.bell.next(left)
    if (hurried && !failed) return false
  }
}

async function restOf(given: WatchParts): Promise<Rest> {
  const about = [...(await takenIssues(given)), ...(await openChanges(given))].map(({ run }) => run)
  return reading(given.drydock, async (records) => {
    const taken = new Set(about)
    for (const { run, data } of await records.machines({ kind: 'remark' }))
      if (taken.has(run) && data.followUp !== null) taken.add(data.followUp)
    const pending = await records.pendingCommands()
    let quiet = !pending.some(({ command }) => command.run !== null && taken.has(command.run))
    const told: string[] = []
    for (const run of await records.machines({ kind: 'run', states: unfinished })) {
      if (!taken.has(run.id)) continue
      const asked = isAtRest(run) ? [] : await questionsOf(records, run.id)
      const rests = isAtRest(run) || asked.length > 0
      quiet &&= rests
      told.push([run.id, ...(rests ? [run.state, ...asked.map(({ message }) => message.id)] : [])].join(' '))
    }
    // Includes ended Runs, since work that begins and ends during one poll has a result that the
    // poll did not see.
    return { quiet, told: [...taken, ...told].join('\n') }
  })
}

const unfinished = runStates.filter((state) => !isEnded(state))

function watched(): DrydockError {
  return new DrydockError('already_watched', 'Another process watches the forge of this repository.', {
    todo: 'Leave it to that process, or end that process first.',
  })
}
