import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { SandboxResult, SandboxSpec } from '../../ports/sandbox.ts'
import { startProgram } from '../../processes/start-program.ts'
import { bubblewrapArguments } from './arguments.ts'
import { type ControlGroup, endFirst, makeControlGroup } from './control-group.ts'
import { sealed } from './inherited-descriptors.ts'
import type { ResolvedMount, ResolvedOverlay } from './mounts.ts'
import { inOwnNamespace, overlaysIn, removeOverlayFolders } from './overlay.ts'
import { openFilter, seccompFilter } from './seccomp-filter.ts'
import { startFailure } from './start-failure.ts'
import { type OutsideTrace, traceOf, underTracer } from './traced-from-outside.ts'

/**
 * File descriptors of bwrap. `more` is either a second filter or the output of a tracer, which
 * brings its own filter; `go` belongs to the tracer.
 */
const slots = { args: 3, info: 4, hosts: 5, seccomp: 6, more: 7, go: 8 } as const
const hosts = '127.0.0.1 localhost drydock\n::1 localhost ip6-localhost ip6-loopback\n'
const mostComplaint = 8192

export interface StartInput {
  readonly bwrap: string
  readonly hostPath: string
  readonly mounts: readonly ResolvedMount[]
  readonly scratch: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly limits: SandboxSpec['limits']
  /** True to use an ordinary user inside the sandbox even if the caller is root. */
  readonly isOrdinary?: boolean
  /** Program and arguments inside the sandbox. */
  readonly argv: readonly string[]
  readonly stdin: 'ignore' | 'pipe'
  readonly stdout: number | 'pipe'
  /** Traces everything that runs inside. */
  readonly trace?: OutsideTrace
}

export interface StartedSandbox {
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /**
   * Standard error so far, at most 8 KiB: bwrap's own messages until the program inside starts. If
   * it is empty, the reason why the sandbox ended before that.
   */
  complaint(): string
  /** Kills all processes inside. */
  kill(): void
  /**
   * Resolves when bwrap and every process inside are gone. Never rejects; contains `error` if bwrap
   * could not start.
   */
  readonly gone: Promise<SandboxEnd>
  /** Left out if no trace was requested. */
  readonly trace?: Promise<string | null>
}

export type SandboxEnd =
  | { readonly spawned: true; readonly exitCode: number | null }
  | { readonly spawned: false; readonly error: Error }

/**
 * Starts bwrap through `unshare`. Its arguments, and so the environment inside, appear in no
 * process list. Must be called on the main thread.
 */
export function startSandbox(input: StartInput): SandboxResult<StartedSandbox> {
  const { trace } = input
  // With a tracer, which adds its own filter, a process has as many filters as without one.
  const seccompFds = trace === undefined ? [slots.seccomp, slots.more] : [slots.seccomp]
  const list = bubblewrapArguments({ ...input, hostsFd: slots.hosts, infoFd: slots.info, seccompFds })
  // A NUL ends an argument, so the text after it would become options of bwrap.
  if (list.some((argument) => argument.includes('\0')))
    return { ok: false, error: startFailure('a value has a NUL in it') }
  const group = makeControlGroup()
  const pipes = Object.values(slots).slice(0, trace === undefined ? -1 : undefined)
  const seal = sealed<number | 'pipe' | 'ignore'>([
    input.stdin,
    input.stdout,
    'pipe',
    ...pipes.map(() => 'pipe' as const),
  ])
  try {
    const overlays = overlaysIn(input.mounts)
    const argv = [input.bwrap, '--args', `${slots.args}`, '--', ...input.argv]
    const started = inOwnNamespace(overlays, argv)
    const slotsOfTracer = { out: slots.more, go: slots.go }
    const [program = '', ...rest] = trace === undefined ? started : underTracer(trace, slotsOfTracer, started)
    const child = startProgram(program, rest, {
      cwd: '/',
      env: { PATH: input.hostPath },
      stdio: seal.stdio,
      // A process group of its own, so that the tracer's children can be killed with it at any
      // time.
      detached: trace !== undefined,
    })
    return { ok: true, value: startedSandbox(child, { list, group, overlays, trace }) }
  } catch (error) {
    group?.remove()
    return { ok: false, error: startFailure(String(error)) }
  } finally {
    seal.close()
  }
}

interface Parts {
  readonly list: readonly string[]
  readonly group: ControlGroup | null
  readonly overlays: readonly ResolvedOverlay[]
  readonly trace: OutsideTrace | undefined
}

function startedSandbox(child: ChildProcess, { list, group, overlays, trace }: Parts): StartedSandbox {
  const kill = () => (trace === undefined ? child.kill('SIGKILL') : killGroup(child))
  const gone = whenGone(child, firstProcess(child)).finally(() => removeOverlayFolders(overlays))
  const traced = trace && traceOf(child.stdio?.[slots.more as number], trace)
  const bounded =
    child.pid === undefined ? Promise.resolve() : Promise.all([group?.add(child.pid), endFirst(child.pid)])
  let unbounded = ''
  // bwrap waits for its arguments, so all its children are in the control group from their start.
  bounded.then(
    () => {
      feed(child, slots.args, `${list.join('\0')}\0`)
      if (trace !== undefined) feed(child, slots.go, '\n')
    },
    (error: unknown) => {
      unbounded = `it cannot be put into its control group: ${error instanceof Error ? error.message : error}`
      kill()
    },
  )
  feed(child, slots.hosts, hosts)
  feed(child, slots.seccomp, seccompFilter())
  if (trace === undefined) feed(child, slots.more, openFilter())
  gone.then(() => group?.remove())
  const words = collect(child.stderr)
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    complaint: () => words() || unbounded,
    kill,
    gone,
    ...(traced && { trace: traced }),
  }
}

/** The pid stays that of the group until the child has been waited for. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
}

function feed(child: ChildProcess, slot: number, content: string | Buffer): void {
  const stream = child.stdio?.[slot] as Writable | null | undefined
  // A bwrap that fails early closes its end of the pipe; its exit code says more than EPIPE.
  stream?.on('error', () => undefined).end(content)
}

function collect(stream: Readable | null | undefined): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < mostComplaint) text = (text + chunk).slice(0, mostComplaint)
  })
  return () => text
}

/**
 * A descriptor of pid 1's folder in /proc, opened when bwrap reports the pid. Unlike the pid, it
 * never refers to a later process.
 */
function firstProcess(child: ChildProcess): Promise<number | null> {
  const stream = child.stdio?.[slots.info] as Readable | null | undefined
  if (!stream) return Promise.resolve(null)
  return new Promise((resolve) => {
    let info = ''
    // A tracer keeps the stream open until its own end, so the text is parsed as it arrives.
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      info += chunk
      const pid = /"child-pid": (\d+)\D/.exec(info)?.[1]
      if (pid === undefined) return
      resolve(openFolder(`/proc/${pid}`))
      stream.removeAllListeners('data').resume()
    })
    stream.once('close', () => resolve(null))
  })
}

function openFolder(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    // The process is already gone, as the caller wants.
    return null
  }
}

async function whenGone(child: ChildProcess, init: Promise<number | null>): Promise<SandboxEnd> {
  const end = await new Promise<SandboxEnd>((resolve) => {
    child.once('error', (error) => resolve({ spawned: false, error }))
    // `close` rather than `exit`, so that bwrap's output has been read.
    child.once('close', (exitCode) => resolve({ spawned: true, exitCode }))
  })
  if (!end.spawned) return end
  const folder = await init
  if (folder !== null) {
    // Pid 1 of a namespace becomes a zombie only after all other processes in it are gone.
    while (isAlive(folder)) await new Promise((resolve) => setTimeout(resolve, 1))
    closeSync(folder)
  }
  return end
}

function isAlive(folder: number): boolean {
  try {
    const stat = readFileSync(`/proc/self/fd/${folder}/stat`, 'latin1')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}
