import { once } from 'node:events'
import { limits } from '../../domain/limits.ts'
import type { Notice } from '../../domain/notification/notice.ts'
import type { Notifier } from '../../ports/notifier.ts'
import { findProgram } from '../../processes/find-program.ts'
import { startProgram } from '../../processes/start-program.ts'

export interface CommandOptions {
  /**
   * A program, by its absolute path or its name on PATH, and its arguments. No shell interprets
   * them.
   */
  readonly argv: readonly string[]
  /** The program's whole environment, except the variables of the notice. */
  readonly env: HookEnvironment
  readonly timeoutMs?: number
}

export type HookEnvironment = Readonly<Record<string, string>> & { readonly HOME: string; readonly PATH: string }

/**
 * Starts a user's program with the notice as JSON on its standard input, and as `DRYDOCK_…`
 * variables for each field. The exit code 0 means that it is delivered.
 */
export function createCommand({ argv, env, timeoutMs = limits.notify.timeoutMs }: CommandOptions): Notifier {
  const [program = '', ...args] = argv
  return {
    name: 'command',
    async deliver(notice, signal) {
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        const code = await run({ program, args, env, notice }, AbortSignal.any([signal, timeout]))
        if (code === 0) return { ok: true }
        const ended = code === null ? 'was killed' : `ended with exit code ${code}`
        const why = timeout.aborted ? `did not end within ${timeoutMs / 1_000} s` : ended
        return { ok: false, error: `${program} ${why}`, retryable: true }
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
        return { ok: false, error: `${program} cannot be started${code}`, retryable: false }
      }
    },
    async check() {
      const isThere = findProgram(program, env.PATH) !== null
      return { found: `command ${program}`, problem: isThere ? null : `${program} cannot be executed` }
    },
  }
}

interface CommandInput {
  readonly program: string
  readonly args: readonly string[]
  readonly env: HookEnvironment
  readonly notice: Notice
}

/** Returns the exit code; null if it was killed. On timeout the whole process group is killed. */
async function run({ program, args, env, notice }: CommandInput, signal: AbortSignal): Promise<number | null> {
  const child = startProgram(program, args, {
    env: { ...env, ...variables(notice) },
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const kill = () => {
    const isRunning = child.exitCode === null && child.signalCode === null
    if (child.pid !== undefined && isRunning) process.kill(-child.pid, 'SIGKILL')
  }
  signal.addEventListener('abort', kill, { once: true })
  // The program need not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(notice))
  try {
    if (signal.aborted) kill()
    const [code] = (await once(child, 'exit')) as [number | null]
    return code
  } finally {
    signal.removeEventListener('abort', kill)
    child.stdin.destroy()
  }
}

function variables(notice: Notice): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(notice).map(([name, value]) => [`DRYDOCK_${name.toUpperCase()}`, value ?? '']),
  )
}
