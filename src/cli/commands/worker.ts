import { hostname } from 'node:os'
import { hubOrigin } from '../../app/hub/at-hub.ts'
import { usage } from '../../app/usage.ts'
import { workerHere, workForHub } from '../../compose.ts'
import { limits } from '../../domain/limits.ts'
import { isWorkerName, workerNameOf } from '../../domain/worker/worker-name.ts'
import type { CommonOptions, Context } from '../context.ts'
import { untilStopped } from './until-stopped.ts'

interface WorkerOptions {
  readonly hub?: string
  readonly name?: string
  readonly coders?: number
  readonly drain?: boolean
  /** False with `--no-wait`. */
  readonly wait?: boolean
}

/** Works for a hub until Ctrl-C, and then hands its stories over. */
export async function worker(
  context: Context,
  _: readonly string[],
  options: CommonOptions & WorkerOptions,
): Promise<number> {
  const { terminal, output } = context
  const { sandbox, coders = limits.maxCoders } = options
  const name = options.name ?? workerNameOf(hostname())
  if (!isWorkerName(name))
    throw usage(`${JSON.stringify(name)} is not a name for a worker.`, 'Use up to 24 lower-case letters, digits, . _ -')
  if (options.hub === undefined)
    throw usage('Name the hub with --hub.', 'For example: drydock worker --hub https://hub.example.com')
  const hub = hubOrigin(options.hub)
  if (options.drain) return drain(context, { hub, name, isAwaited: options.wait !== false })
  if (options.wait === false) throw usage('--no-wait belongs to `worker --drain`.', 'See: drydock worker --help')
  const working = await workForHub(
    { env: terminal.env, flags: { ...(sandbox && { sandbox }) } },
    { hub, name, coders, onNote: output.note },
  )
  const { host, slots, repository } = working
  output.emit({ type: 'worker', hub, host, slots })
  if (!output.json) output.say(`Works on ${repository} for ${hub} as ${host}, with ${slots.join(', ')}.`)
  output.note('Ctrl-C hands its stories over to other workers and ends it.')
  let exitCode = 0
  const work = async (stop: AbortSignal) => {
    let drains = false
    try {
      exitCode = await Promise.race([working.ended, working.drained.then(() => 0), aborted(stop).then(() => 130)])
      drains = true
      if (exitCode === 0)
        output.note(
          'The hub wants this worker to end: the steps under way end first, then its stories go on elsewhere.',
        )
    } finally {
      await working.stop({ drain: drains })
    }
  }
  // Includes the handover, so that the first signal lets it finish and only a second one ends the
  // process.
  await untilStopped(output, (stop) => [work(stop)])
  return exitCode
}

interface Draining {
  readonly hub: string
  readonly name: string
  readonly isAwaited: boolean
}

/** Drains the worker of this machine, and waits until it has ended. */
async function drain(context: Context, { hub, name, isAwaited }: Draining): Promise<number> {
  const sources = await workerHere({ env: context.terminal.env, flags: {} }, { hub, name })
  const { drainWorker, isAnyAlive } = await import('../../app/commands/hub/drain-workers.ts')
  const drained = await drainWorker(sources, sources.host)
  const { tellDrained } = await import('./hub/hub-workers.ts')
  return tellDrained(context, {
    hosts: [drained.host],
    isAwaited,
    isAnyAlive: () => isAnyAlive(sources, [drained]),
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
