import { endedBy, runInGroup } from './run-in-group.ts'
import type { ProgramEnvironment } from './start-program.ts'

export interface RunOptions {
  readonly env: ProgramEnvironment
  readonly cwd?: string
  readonly signal?: AbortSignal
  /** Output beyond this many bytes is dropped. */
  readonly maxBytes?: number
}

export interface ProgramEnd {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const usualBytes = 1_048_576
const complaintBytes = 8_192

/**
 * Runs a program to its end, without input. Rejects if it cannot start, or with the signal's
 * reason, with no process left running.
 */
export async function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<ProgramEnd> {
  const { env, cwd = '/', signal, maxBytes = usualBytes } = options
  signal?.throwIfAborted()
  const said: Buffer[] = []
  let kept = 0
  let complaint = Buffer.alloc(0)
  const running = runInGroup(program, args, {
    env,
    cwd,
    onStdout(bytes) {
      if (kept < maxBytes) said.push(bytes)
      kept += bytes.length
    },
    onStderr(bytes) {
      complaint = Buffer.concat([complaint, bytes]).subarray(-complaintBytes)
    },
  })
  const { code, error } = await endedBy(running, signal)
  if (error !== null) throw error
  return { code, stdout: Buffer.concat(said).toString('utf8'), stderr: complaint.toString('utf8') }
}

/** Runs a program like `runProgram`; also rejects for an exit code other than 0. */
export async function mustRun(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, options)
  if (code === 0) return stdout
  throw new Error(`${program} ended with ${code ?? 'a signal'}: ${stderr.trim()}`)
}
