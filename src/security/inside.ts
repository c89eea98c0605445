import { realpath } from 'node:fs/promises'
import { limits } from '../domain/limits.ts'
import { SandboxEnded, type SandboxSpec } from '../ports/sandbox.ts'
import type { SandboxLimits } from '../ports/sandbox-limits.ts'
import { agentSpec } from '../workflow/lane/sandboxes.ts'
import type { Range } from './range.ts'

type Where = Pick<Range, 'sandbox' | 'signal' | 'newFolder'>

/** The origin of the code: a verification's step, or an agent with `run_command`. */
export type Place = 'a step' | 'an agent'

export const places: readonly Place[] = ['a step', 'an agent']

export interface Inside {
  readonly place?: Place
  /** Mounted as the repository; a new folder if left out. */
  readonly folder?: string
  /** The objects that its git borrows. */
  readonly history?: string
  readonly access?: 'read' | 'write'
  readonly egress?: readonly string[]
  readonly timeoutMs?: number
  readonly limits?: Partial<SandboxLimits>
}

const node = '/opt/drydock-attack/node'

/** Small enough to fill up without harm. */
const mebibyte = 1_048_576
const small = { fileBytes: 8 * mebibyte, tmpfsBytes: 4 * mebibyte, memoryBytes: 1_024 * mebibyte, openFiles: 1_024 }

/**
 * The helpers for hostile code. The script prints the attempts that succeeded, or that none did.
 */
const beginning = `
import fs from 'node:fs'
import net from 'node:net'
import dns from 'node:dns/promises'
import { spawnSync } from 'node:child_process'
const done = []
const attempt = async (name, act) => {
  try { if ((await act()) !== false) done.push(name) } catch {}
}
const environment = Object.fromEntries(
  fs.readFileSync('/proc/self/environ', 'utf8').split('\\0').map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)]),
)
const runs = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0
const opens = (path, flags) => { fs.closeSync(fs.openSync(path, flags)); return true }
const connects = (to) => new Promise((resolve) => {
  const socket = net.connect({ ...to, timeout: 1_000 })
  const end = (made) => { socket.destroy(); resolve(made) }
  socket.once('connect', () => end(true)).once('error', () => end(false)).once('timeout', () => end(false))
})
`
const end = `
console.log(done.join(', ') || 'nothing')
process.exit()
`

/**
 * The output of JavaScript in one of Drydock's sandboxes: `attempt(name, act)` records if `act`
 * succeeded.
 */
export async function tryInside(range: Where, script: string, options: Inside = {}): Promise<string> {
  return runInside(range, `${node} --input-type=module -e ${quoted(beginning + script + end)} 2>&1`, options)
}

/** The output of a command line in the sandbox. */
export async function runInside(range: Where, command: string, options: Inside = {}): Promise<string> {
  const { place = 'a step', timeoutMs = 20_000, egress } = options
  const spec = await specOf(range, options)
  if (place === 'an agent') return asAgent(range, spec, { command, timeoutMs })
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const ran = await range.sandbox.exec(
    { ...spec, ...(egress && { egress }) },
    { command, timeoutMs, onOutput },
    range.signal,
  )
  if (!ran.ok) throw new Error(ran.error.errorMessage)
  return ran.value.timedOut ? 'it was killed when its time was over' : output.trim()
}

async function specOf(range: Where, options: Inside): Promise<SandboxSpec> {
  const { folder = await range.newFolder(), history, access = 'write', place = 'a step' } = options
  const workspace = { folder, ...(history !== undefined && { history }) }
  const spec = agentSpec({ ...workspace, access: place === 'a step' ? 'read' : access, readOnlyPaths: [] })
  const own = { path: await realpath(process.execPath), at: node, access: 'read' } as const
  return { ...spec, mounts: [...spec.mounts, own], limits: { ...limits.sandbox, ...small, ...options.limits } }
}

interface AgentCommand {
  readonly command: string
  readonly timeoutMs: number
}

async function asAgent({ sandbox, signal }: Where, spec: SandboxSpec, command: AgentCommand): Promise<string> {
  const opened = await sandbox.open(spec, signal)
  if (!opened.ok) throw new Error(opened.error.errorMessage)
  try {
    const reply = await opened.value.request({ op: 'run', ...command, maxBytes: 100_000 }, signal)
    if (!reply.ok) throw new Error(reply.message)
    return reply.value.timedOut ? 'it was killed when its time was over' : reply.value.output.trim()
  } catch (error) {
    if (error instanceof SandboxEnded) return 'the sandbox ended'
    throw error
  } finally {
    await opened.value.close()
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
