import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, rmSync } from 'node:fs'
import { constants as system } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { isReady } from './readiness-probe.ts'
import { folders, type StarterMessage, type ToldService } from './starter-protocol.ts'

const pauseMs = 50

interface Starting {
  readonly services: readonly ToldService[]
  readonly environment: Readonly<Record<string, string>>
  /** A descriptor for each service's output; closed by the callee. */
  readonly outputs: readonly number[]
  readonly say: (line: StarterMessage) => void
}

interface Running {
  readonly name: string
  exitCode: number | null
}

/**
 * Starts the services in order, each when the one before is ready, and reports the progress. The
 * last report is `begun` or `failed`, except for services that end later.
 */
export async function startInOrder({ services, environment, outputs, say }: Starting): Promise<void> {
  const running: Running[] = []
  for (const [i, service] of services.entries()) {
    const startedAt = performance.now()
    const env = { ...environment, ...service.env, SERVICE_DIR: `${folders}/${service.name}` }
    const own = begin(service, { env, output: outputs[i] ?? 1, say })
    running.push(own)
    const why = await whyNotReady(service, { env, own, startedAt })
    const ended = running.find(({ exitCode }) => exitCode !== null)
    if (ended !== undefined)
      return say({ is: 'failed', name: ended.name, why: `its command ended with exit code ${ended.exitCode}` })
    if (why !== null) return say({ is: 'failed', name: service.name, why })
    say({ is: 'ready', name: service.name, ms: performance.now() - startedAt })
  }
  say({ is: 'begun' })
}

interface Beginning extends Pick<Starting, 'say'> {
  readonly env: Readonly<Record<string, string>> & { readonly SERVICE_DIR: string }
  readonly output: number
}

/**
 * Starts a service in a new session, so that signals that the service sends to its group reach no
 * other process.
 */
function begin({ name, command }: ToldService, { env, output, say }: Beginning): Running {
  rmSync(env.SERVICE_DIR, { recursive: true, force: true })
  mkdirSync(env.SERVICE_DIR, { recursive: true })
  const running: Running = { name, exitCode: null }
  const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['ignore', output, output], detached: true })
  closeSync(output)
  whenEnded(child, (exitCode) => {
    running.exitCode = exitCode
    say({ is: 'ended', name, exitCode })
  })
  return running
}

interface Waiting extends Pick<Beginning, 'env'> {
  readonly own: Running
  readonly startedAt: number
}

/** Null if the service is ready or has ended. */
async function whyNotReady(service: ToldService, { env, own, startedAt }: Waiting): Promise<string | null> {
  const until = startedAt + service.timeoutMs
  while (own.exitCode === null) {
    const left = until - performance.now()
    if (left <= 0) return `it was not ready within ${service.timeoutMs / 1_000} s`
    if (await isReady(service.ready, { env, timeoutMs: left })) return null
    await delay(Math.min(pauseMs, left))
  }
  return null
}

/** The exit code as a shell reports it: 128 plus the signal's number. */
export function whenEnded(child: ChildProcess, onEnd: (exitCode: number) => void): void {
  child.once('error', () => onEnd(127))
  child.once('exit', (code, signal) => onEnd(code ?? 128 + (signal === null ? 0 : system.signals[signal])))
}
