import { existsSync } from 'node:fs'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { OnProgress } from '../../domain/progress.ts'
import { lackOf } from '../../domain/verification/scarcity.ts'
import { endedBy, runInGroup } from '../../processes/run-in-group.ts'
import { progressReader, withoutProgress } from './progress.ts'

export interface GitOptions {
  readonly gitDir?: string
  /** Git also starts in this folder. */
  readonly workTree?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  readonly signal?: AbortSignal | undefined
  /** A longer output ends the command: with an error, unless `truncate` is set. */
  readonly maxBytes?: number
  readonly truncate?: boolean
  /** Exit codes that do not count as a failure. */
  readonly exits?: readonly number[]
  /** Called with the process group as soon as it exists. */
  readonly spawned?: ((pid: number) => void) | undefined
  /** Called with git's progress if the arguments contain `--progress`. */
  readonly onProgress?: OnProgress | undefined
}

export interface GitOutput {
  readonly code: number
  readonly stdout: Buffer
  readonly truncated: boolean
}

/**
 * Runs one git command from an argument list, without a shell. Throws DrydockError `git_failed` or
 * `disk_full`, or the reason of an aborted signal, with no process left running.
 */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitOutput>

const defaultMaxBytes = 256 * 1024 * 1024
const stderrBytes = 8 * 1024
const stderrLines = 12

export function createGit(environment: Readonly<Record<string, string>>): Git {
  return gitWith(environment, { mayLeave: false })
}

/** Git that talks to servers; its connection may stay open after the command. */
export function createTalkingGit(environment: Readonly<Record<string, string>>): Git {
  return gitWith(environment, { mayLeave: true })
}

function gitWith(environment: Readonly<Record<string, string>>, { mayLeave }: { readonly mayLeave: boolean }): Git {
  return async (args, options = {}) => {
    options.signal?.throwIfAborted()
    const output = keepOutput(options)
    const readProgress = options.onProgress && progressReader(options.onProgress)
    const running = runInGroup('git', [...placeArguments(options), ...args], {
      cwd: options.workTree ?? '/',
      env: { ...environment, ...options.environment },
      input: options.input,
      mayLeave,
      onStdout: (bytes) => output.takeStdout(bytes) && running.end('SIGTERM'),
      onStderr(bytes) {
        output.takeStderr(bytes)
        readProgress?.(bytes)
      },
      onStarted: options.spawned,
    })
    const failure = (lines: string) => failed(args, readProgress ? withoutProgress(lines).trim() : lines)
    // Git removes its lock files at SIGTERM, but not at SIGKILL.
    const end = await endedBy(running, options.signal)
    if (end.error !== null)
      throw lackOf(end.error.message) === 'disk space'
        ? failure(end.error.message)
        : notStarted(end.error, options.workTree)
    const { stdout, stderr, overflow } = output.all()
    if (overflow && options.truncate) return { code: 0, stdout, truncated: true }
    if (overflow) throw failure(`it wrote more than ${options.maxBytes ?? defaultMaxBytes} bytes`)
    const { code, signal } = end
    if (code === null) throw failure(`${stderr}\nit ended with ${signal ?? 'its shell'}`.trim())
    if (code !== 0 && !options.exits?.includes(code)) throw failure(stderr || `it ended with ${code}`)
    return { code, stdout, truncated: false }
  }
}

function placeArguments({ gitDir, workTree }: GitOptions): string[] {
  return [
    ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
    ...(workTree === undefined || gitDir === undefined ? [] : [`--work-tree=${workTree}`]),
  ]
}

/** Keeps at most `maxBytes` of stdout, and the tail of stderr. */
function keepOutput({ maxBytes: limit = defaultMaxBytes }: GitOptions) {
  const chunks: Buffer[] = []
  let size = 0
  let errors = Buffer.alloc(0)
  return {
    /** Returns true once, when the output exceeds the limit. */
    takeStdout(bytes: Buffer): boolean {
      if (size > limit) return false
      chunks.push(bytes)
      size += bytes.length
      return size > limit
    },
    takeStderr(bytes: Buffer): void {
      errors = Buffer.concat([errors, bytes]).subarray(-stderrBytes)
    },
    all: () => ({
      stdout: Buffer.concat(chunks).subarray(0, limit),
      stderr: errors.toString('utf8').trim(),
      overflow: size > limit,
    }),
  }
}

export function failed(args: readonly string[], lines: string): DrydockError {
  const command = args.find((arg, index) => /^[a-z]/.test(arg) && args[index - 1] !== '-c') ?? 'git'
  const last = lines.split('\n').slice(-stderrLines).join('\n')
  if (lackOf(last) === 'disk space')
    return new DrydockError('disk_full', `git ${command}: ${last}`, {
      todo: 'Free some disk space and run the same command again. Nothing is lost.',
    })
  return new DrydockError('git_failed', `git ${command} failed: ${last}`, {
    todo: 'Fix the problem that git names above, then run the same command again.',
  })
}

function notStarted(error: Error, folder = '/'): DrydockError {
  // Node reports ENOENT for a missing folder as well as for a missing program.
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
