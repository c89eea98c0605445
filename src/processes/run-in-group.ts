import { isAbsolute } from 'node:path'
import { findProgram } from './find-program.ts'
import { hostPath, systemPath } from './host-path.ts'
import type { ProgramExit, RunningProgram } from './running-program.ts'
import { startInShell } from './shell/start-in-shell.ts'
import { signalGroup } from './signal-group.ts'
import { type ProgramEnvironment, startProgram } from './start-program.ts'

export interface GroupOptions {
  readonly env: ProgramEnvironment
  readonly cwd: string
  /** If left out, standard input is empty. */
  readonly input?: string | Buffer | undefined
  /**
   * True if the program's children may outlive it; no reusable shell is then used, since they could
   * still write to it.
   */
  readonly mayLeave?: boolean
  readonly onStdout: (bytes: Buffer) => void
  readonly onStderr: (bytes: Buffer) => void
  /** Called with the process group as soon as it exists. */
  readonly onStarted?: ((group: number) => void) | undefined
}

/**
 * Starts a program on the host in a new process group; see `startProgram`. If possible, a reusable
 * shell starts it, which costs this process almost nothing.
 */
export function runInGroup(program: string, args: readonly string[], options: GroupOptions): RunningProgram {
  const { env, cwd, input, mayLeave = false, onStdout, onStderr, onStarted } = options
  if (!mayLeave) {
    const { path } = hostPath(env.PATH ?? systemPath)
    const file = findProgram(program, path)
    const words = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const whole = { ...Object.fromEntries(words), PATH: path }
    const running =
      file !== null && isAbsolute(cwd)
        ? startInShell({ file, args, env: whole, cwd, input, onStdout, onStderr, onStarted })
        : null
    if (running !== null) return running
  }
  const child = startProgram(program, args, {
    cwd,
    env,
    detached: true,
    // An unused pipe would cost half a millisecond.
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const { pid } = child
  if (pid !== undefined) onStarted?.(pid)
  child.stdout?.on('data', onStdout)
  child.stderr?.on('data', onStderr)
  // A program that fails before it has read everything closes the pipe; its exit code and stderr
  // say why.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  const { promise: ended, resolve } = Promise.withResolvers<ProgramExit>()
  child.on('error', (error) => resolve({ code: null, signal: null, error }))
  child.on('close', (code, signal) => resolve({ code, signal, error: null }))
  return { ended, end: (signal) => pid !== undefined && signalGroup(pid, signal) }
}

/** A starting process may miss a signal, so the signal is repeated. */
const againMs = 50
const graceMs = 2_000

/**
 * Returns the exit of a program. An aborted signal ends the program, first with SIGTERM, and the
 * signal's reason is then the rejection.
 */
export async function endedBy(running: RunningProgram, signal: AbortSignal | undefined): Promise<ProgramExit> {
  let again: NodeJS.Timeout | undefined
  let begun = 0
  const end = () => running.end(performance.now() - begun < graceMs ? 'SIGTERM' : 'SIGKILL')
  const abort = () => {
    begun = performance.now()
    end()
    again = setInterval(end, againMs)
  }
  signal?.addEventListener('abort', abort)
  try {
    const exit = await running.ended
    signal?.throwIfAborted()
    return exit
  } finally {
    clearInterval(again)
    signal?.removeEventListener('abort', abort)
  }
}
