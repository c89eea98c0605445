import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { DrydockError } from '../../domain/drydock-error.ts'
import { startProgram } from '../../processes/start-program.ts'

export interface GitOptions {
  readonly gitDir?: string
  /** Also the folder that git starts in. */
  readonly workTree?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  readonly signal?: AbortSignal | undefined
  /** More output than this ends the command: an error, unless `truncate`. */
  readonly maxBytes?: number
  readonly truncate?: boolean
  /** Exit codes that are no failure. */
  readonly exits?: readonly number[]
  /** Told the process group as soon as it exists. */
  readonly spawned?: ((pid: number) => void) | undefined
}

export interface GitOutput {
  readonly code: number
  readonly stdout: Buffer
  readonly truncated: boolean
}

/**
 * Runs one git command, argv only. Throws DrydockError `git_failed` or `disk_full`, or the reason
 * of an aborted signal, with nothing left running.
 */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitOutput>

const defaultMaxBytes = 256 * 1024 * 1024
const stderrBytes = 8 * 1024
const stderrLines = 12
const graceMs = 2_000

export function createGit(environment: Readonly<Record<string, string>>): Git {
  return async (args, options = {}) => {
    options.signal?.throwIfAborted()
    const child = startProgram('git', [...placeArguments(options), ...args], {
      cwd: options.workTree ?? '/',
      env: { ...environment, ...options.environment },
      // A pipe that nothing is written to would cost half a millisecond.
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const failure = (lines: string) => failed(args, lines)
    if (child.pid !== undefined) options.spawned?.(child.pid)
    const output = collect(child, options)
    const end = await ended(child, options)
    options.signal?.throwIfAborted()
    if (end.error !== null) throw notStarted(end.error, options.workTree)
    const { stdout, stderr, overflow } = output()
    if (overflow && options.truncate) return { code: 0, stdout, truncated: true }
    if (overflow) throw failure(`it wrote more than ${options.maxBytes ?? defaultMaxBytes} bytes`)
    const code = end.code ?? 128
    if (code !== 0 && !options.exits?.includes(code)) throw failure(stderr || `it ended with ${end.signal ?? code}`)
    return { code, stdout, truncated: false }
  }
}

function placeArguments({ gitDir, workTree }: GitOptions): string[] {
  return [
    ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
    ...(workTree === undefined || gitDir === undefined ? [] : [`--work-tree=${workTree}`]),
  ]
}

/** Keeps at most `maxBytes` of stdout, and the tail of stderr; too much output ends the process. */
function collect(child: ChildProcess, options: GitOptions) {
  const limit = options.maxBytes ?? defaultMaxBytes
  const chunks: Buffer[] = []
  let size = 0
  let overflow = false
  let errors = Buffer.alloc(0)
  child.stdout?.on('data', (chunk: Buffer) => {
    if (overflow) return
    chunks.push(chunk)
    size += chunk.length
    overflow = size > limit
    if (overflow) endGroup(child, 'SIGTERM')
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = Buffer.concat([errors, chunk]).subarray(-stderrBytes)
  })
  return () => ({
    stdout: Buffer.concat(chunks).subarray(0, limit),
    stderr: errors.toString('utf8').trim(),
    overflow,
  })
}

function ended(child: ChildProcess, options: GitOptions) {
  return new Promise<{ code: number | null; signal: string | null; error: Error | null }>((resolve) => {
    let killer: NodeJS.Timeout | undefined
    // Git removes its lock files at SIGTERM, not at SIGKILL.
    const abort = () => {
      endGroup(child, 'SIGTERM')
      killer = setTimeout(() => endGroup(child, 'SIGKILL'), graceMs)
    }
    const finish = (code: number | null, signal: string | null, error: Error | null) => {
      clearTimeout(killer)
      options.signal?.removeEventListener('abort', abort)
      resolve({ code, signal, error })
    }
    options.signal?.addEventListener('abort', abort)
    child.on('error', (error) => finish(null, null, error))
    child.on('close', (code, signal) => finish(code, signal, null))
    // A git that fails before it reads everything closes the pipe: its exit code and stderr say
    // why.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input)
  })
}

/** Signals git and what it started. */
function endGroup(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** What the system says, and what git says in its own words where it writes an index. */
const diskFull = /No space left on device|Out of diskspace|Disk quota exceeded/

export function failed(args: readonly string[], lines: string): DrydockError {
  const command = args.find((arg, index) => /^[a-z]/.test(arg) && args[index - 1] !== '-c') ?? 'git'
  const last = lines.split('\n').slice(-stderrLines).join('\n')
  if (diskFull.test(last))
    return new DrydockError('disk_full', `git ${command}: ${last}`, {
      todo: 'Free some disk space and run the same command again. Nothing is lost.',
    })
  return new DrydockError('git_failed', `git ${command} failed: ${last}`, {
    todo: 'Fix the problem that git names above, then run the same command again.',
  })
}

function notStarted(error: Error, folder = '/'): DrydockError {
  // Node says ENOENT for a missing folder as well as for a missing program.
  if (!existsSync(folder))
    return new DrydockError('git_failed', `The folder ${folder} no longer exists.`, {
      todo: 'Restore it.',
      cause: error,
    })
  return new DrydockError('git_failed', `git could not be started: ${error.message}`, {
    todo: 'Install git 2.38 or newer and make sure that it is in PATH.',
    cause: error,
  })
}
