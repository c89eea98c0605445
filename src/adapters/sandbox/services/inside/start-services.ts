/**
 * Runs inside a sandbox, beside the command: starts the services, in order, and says on standard
 * output, which it closes then, that all are ready. Everything else it tells the host, through a
 * connection that nothing else inside can have: it is made before anything else runs, and the host
 * takes no second one. Argument: the process whose environment the services get. Its folder is
 * bound into the sandbox, so it imports only Node's modules and what lies beside it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { constants as system } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { isReady } from './is-ready.ts'
import { channelPath, type Said, type ServiceSetup, type Setup } from './protocol.ts'

const pauseMs = 50

const [pid = ''] = process.argv.slice(2)
const environment = environmentOf(pid)
const channel = connect(channelPath)
let text = ''
channel.setEncoding('utf8').on('data', (more: string) => {
  text += more
  if (!text.endsWith('\n')) return
  channel.removeAllListeners('data').resume()
  void startAll(JSON.parse(text) as Setup)
})
// The host is gone, and with it the sandbox in a moment.
channel.on('error', () => process.exit(1)).on('close', () => process.exit(1))

interface Running {
  readonly name: string
  exitCode: number | null
}

async function startAll({ services }: Setup): Promise<void> {
  const outputs = services.map(({ output }) => openSync(output, constants.O_WRONLY))
  say({ is: 'open' })
  const running: Running[] = []
  for (const [i, service] of services.entries()) {
    const startedAt = performance.now()
    const own = begin(service, outputs[i] ?? 1)
    running.push(own)
    const why = await whyNotReady(service, own, startedAt)
    const ended = running.find(({ exitCode }) => exitCode !== null)
    if (ended !== undefined) return fail(ended.name, `its command ended with exit code ${ended.exitCode}`)
    if (why !== null) return fail(service.name, why)
    say({ is: 'ready', name: service.name, ms: performance.now() - startedAt })
  }
  say({ is: 'begun' })
  writeSync(1, 'ready')
  closeSync(1)
  // Takes the number: as that of a connection Node would not survive it.
  openSync('/dev/null', 'w')
}

/** In a session of its own: a signal that it sends to its group is for nobody else. */
function begin({ name, command, env }: ServiceSetup, output: number): Running {
  const folder = `/tmp/services/${name}`
  mkdirSync(folder, { recursive: true })
  const running: Running = { name, exitCode: null }
  const child = spawn('/bin/sh', ['-c', command], {
    env: { ...environment, ...env, SERVICE_DIR: folder },
    stdio: ['ignore', output, output],
    detached: true,
  })
  closeSync(output)
  whenEnded(child, (exitCode) => {
    running.exitCode = exitCode
    say({ is: 'ended', name, exitCode })
  })
  return running
}

/** Null for one that is ready, or has ended. */
async function whyNotReady(service: ServiceSetup, running: Running, startedAt: number): Promise<string | null> {
  const env = { ...environment, ...service.env, SERVICE_DIR: `/tmp/services/${service.name}` }
  const until = startedAt + service.timeoutMs
  while (running.exitCode === null) {
    const left = until - performance.now()
    if (left <= 0) return `it was not ready within ${service.timeoutMs / 1_000} s`
    if (await isReady(service.ready, { env, timeoutMs: left })) return null
    await delay(Math.min(pauseMs, left))
  }
  return null
}

function fail(name: string, why: string): void {
  say({ is: 'failed', name, why })
}

function say(line: Said): void {
  channel.write(`${JSON.stringify(line)}\n`)
}

/** As a shell tells it: 128 and the signal's number. */
function whenEnded(child: ChildProcess, onEnd: (exitCode: number) => void): void {
  child.once('error', () => onEnd(127))
  child.once('exit', (code, signal) => onEnd(code ?? 128 + (signal === null ? 0 : system.signals[signal])))
}

/** As the kernel gave it to the process: this one has none itself. */
function environmentOf(process: string): Record<string, string> {
  const entries = readFileSync(`/proc/${process}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(entries.map((entry) => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]))
}
