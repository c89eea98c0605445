import type { Readable, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { startProgram } from '../../../processes/start-program.ts'
import { failed } from '../git.ts'

export interface Streaming {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** What comes before the rest of `said`. */
  readonly head: Buffer | null
  readonly said: Readable | null
  readonly answer: Writable
  readonly signal: AbortSignal
}

const stderrBytes = 4 * 1024
const graceMs = 2_000

/**
 * Runs a git that is talked with. It reads as it is given, and writes as fast as it is read.
 * Rejects when it cannot be started, was ended, or fails without a word; what it says itself is
 * its client's to understand. Returns with nothing left running.
 */
export async function streamGit({ args, environment, head, said, answer, signal }: Streaming): Promise<void> {
  signal.throwIfAborted()
  const child = startProgram('git', args, {
    ...{ cwd: '/', env: environment, stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  })
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>()
  child.on('error', reject).on('close', resolve)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-stderrBytes)
  })
  let hasSpoken = false
  child.stdout.once('data', () => {
    hasSpoken = true
  })
  child.stdin.on('error', () => undefined)
  const leaving = new AbortController()
  const stopping = AbortSignal.any([signal, leaving.signal])
  const [told, heard] = [
    tell(child.stdin, { head, said, signal: stopping }),
    pipeline(child.stdout, answer, { end: false, signal: stopping }),
  ]
  let killer: NodeJS.Timeout | undefined
  const abort = () => {
    end(child.pid, 'SIGTERM')
    killer = setTimeout(() => end(child.pid, 'SIGKILL'), graceMs)
  }
  stopping.addEventListener('abort', abort)
  // A client that is gone: git is not to go on for nobody.
  for (const stream of [told, heard]) stream.catch((error: unknown) => leaving.abort(error))
  try {
    const code = await ended
    if (code !== null) await heard
    stopping.throwIfAborted()
    if (code === null || (code !== 0 && !hasSpoken)) throw failed(args, errors.trim() || `it ended with ${code}`)
  } finally {
    clearTimeout(killer)
    stopping.removeEventListener('abort', abort)
    // What it did not want to hear.
    leaving.abort()
    await Promise.allSettled([told, heard])
  }
}

/** Rejects when the client leaves in the middle of what it says. */
async function tell(
  stdin: Writable,
  { head, said, signal }: Pick<Streaming, 'head' | 'said' | 'signal'>,
): Promise<void> {
  if (head !== null) stdin.write(head)
  if (said === null) return void stdin.end()
  // Git may know enough before it has read everything. The rest is nobody's then.
  stdin.once('close', () => said.unpipe(stdin).resume())
  said.pipe(stdin)
  await finished(said, { writable: false, signal })
}

/** Signals git and what it started. */
function end(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
