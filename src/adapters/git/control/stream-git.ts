import type { Readable, Writable } from 'node:stream'
import { signalGroup } from '../../../processes/signal-group.ts'
import { startProgram } from '../../../processes/start-program.ts'
import { failed } from '../git.ts'

export interface Streaming {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The bytes to write before the rest of `said`. */
  readonly head: Buffer | null
  readonly said: Readable | null
  readonly answer: Writable
  readonly signal: AbortSignal
}

const stderrBytes = 4 * 1024
const graceMs = 2_000

/**
 * Runs a git process that talks with a client, with backpressure in both directions. Rejects if git
 * cannot start, if the client disconnects, and if git fails without output; git's own error output
 * is for the client. No process is left when it settles.
 */
export async function streamGit({ args, environment, head, said, answer, signal }: Streaming): Promise<void> {
  signal.throwIfAborted()
  const child = startProgram('git', args, {
    cwd: '/',
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const { stdin, stdout } = child
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>()
  child.on('error', reject).on('close', resolve)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-stderrBytes)
  })
  let hasSpoken = false
  stdout.once('data', () => {
    hasSpoken = true
  })
  stdout.pipe(answer, { end: false })
  stdin.on('error', () => undefined)
  // Git may stop reading early; the rest of the input is then discarded.
  stdin.once('close', () => said?.unpipe(stdin).resume())
  if (head !== null) stdin.write(head)
  if (said === null) stdin.end()
  else said.pipe(stdin)

  const left = new AbortController()
  const stopping = AbortSignal.any([signal, left.signal])
  const timers: NodeJS.Timeout[] = []
  const end = (signal: NodeJS.Signals) => child.pid !== undefined && signalGroup(child.pid, signal)
  const stop = () => {
    // Git cleans up when its input ends; a killed one may leave all the objects that it received.
    said?.unpipe(stdin)
    stdin.end()
    stdout.unpipe(answer).resume()
    timers.push(
      setTimeout(() => end('SIGTERM'), graceMs),
      setTimeout(() => end('SIGKILL'), 2 * graceMs),
    )
  }
  const leave = () => left.abort(new Error('the client of git has left'))
  const leaveEarly = () => said?.readableEnded || leave()
  stopping.addEventListener('abort', stop)
  answer.once('close', leave)
  said?.once('close', leaveEarly)
  try {
    const code = await ended
    stopping.throwIfAborted()
    if (code === null || (code !== 0 && !hasSpoken)) throw failed(args, errors.trim() || `it ended with ${code}`)
  } finally {
    for (const timer of timers) clearTimeout(timer)
    stopping.removeEventListener('abort', stop)
    answer.off('close', leave)
    said?.off('close', leaveEarly)
  }
}
