import { type ProgramEnvironment, startProgram } from './start-program.ts'

export interface RunOptions {
  readonly env: ProgramEnvironment
  readonly cwd?: string
  readonly signal?: AbortSignal
  /** Bytes of standard output that are kept. */
  readonly maxBytes?: number
}

export interface ProgramEnd {
  /** null when a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const usualBytes = 1_048_576
const complaintBytes = 8_192

/**
 * Runs a program to its end, without input. Rejects when it cannot be started, or with the signal's
 * reason.
 */
export function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<ProgramEnd> {
  const { env, cwd = '/', signal, maxBytes = usualBytes } = options
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const child = startProgram(program, args, {
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal && { signal }),
    })
    const text = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.stdout.length < maxBytes) text.stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text.stderr = (text.stderr + chunk).slice(-complaintBytes)
    })
    child.on('error', (error) => reject(signal?.aborted ? signal.reason : error))
    child.on('close', (code) => (signal?.aborted ? reject(signal.reason) : resolve({ code, ...text })))
  })
}

/** The same; also rejects when it ends with another exit code than 0. */
export async function mustRun(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, options)
  if (code === 0) return stdout
  throw new Error(`${program} ended with ${code ?? 'a signal'}: ${stderr.trim()}`)
}
