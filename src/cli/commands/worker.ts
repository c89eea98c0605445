import { hostname } from 'node:os'
import { usage } from '../../app/usage.ts'
import { limits } from '../../domain/limits.ts'
import { isWorkerName, workerNameOf } from '../../domain/worker/worker-name.ts'
import { workForHub } from '../../compose.ts'
import type { CommonOptions, Context } from '../context.ts'
import { untilStopped } from './until-stopped.ts'

interface WorkerOptions {
  readonly hub?: string
  readonly name?: string
  readonly coders?: number
}

/** Works for a hub until Ctrl-C, which hands its stories over. */
export async function worker(
  { terminal, output }: Context,
  _: readonly string[],
  options: CommonOptions & WorkerOptions,
): Promise<number> {
  const { sandbox, coders = limits.maxCoders } = options
  const name = options.name ?? workerNameOf(hostname())
  if (!isWorkerName(name))
    throw usage(`${JSON.stringify(name)} is not a name for a worker.`, 'Use up to 24 lower-case letters, digits, . _ -')
  const hub = originOf(options.hub)
  const working = await workForHub(
    { env: terminal.env, flags: { ...(sandbox && { sandbox }) } },
    { hub, name, coders, onNote: output.note },
  )
  const { host, slots, repository } = working
  output.emit({ type: 'worker', hub, host, slots })
  if (!output.json) output.say(`Works on ${repository} for ${hub} as ${host}, with ${slots.join(', ')}.`)
  output.note('Ctrl-C hands its stories over to other workers and ends it.')
  let drains = true
  try {
    await untilStopped(output, (stop) => [
      Promise.race([working.ended, aborted(stop)]).catch((error: unknown) => {
        drains = false
        throw error
      }),
    ])
    return 130
  } finally {
    await working.stop({ drain: drains })
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** The token goes over the network, so only a machine's own addresses may do without TLS. */
function originOf(text: string | undefined): string {
  const url = text === undefined ? null : URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw usage('Name the hub with --hub.', 'For example: drydock worker --hub https://hub.example.com')
  if (url.protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
    throw usage(`The token would cross the network in the clear to ${url.host}.`, 'Use the https address of the hub.')
  return url.origin
}
