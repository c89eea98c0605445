import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { limits } from '../../domain/limits.ts'
import type { ProgramEnvironment } from '../../processes/start-program.ts'
import { startProgram } from '../../processes/start-program.ts'

export interface Program {
  /** The command that starts Drydock, before the arguments. */
  readonly command: readonly string[]
  readonly env: ProgramEnvironment
}

export interface Running {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The file for the events. */
  readonly log: string
  readonly onEvent?: (event: DrydockEvent) => void
}

/** One line of `--json`. */
export interface DrydockEvent {
  readonly type: string
  readonly [key: string]: unknown
}

export interface Ran {
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly wallMs: number
  /** The last message for people. */
  readonly words: string
}

const wordsChars = 4_000

/** Runs a Drydock command with `--json` in a separate process. */
export async function runDrydock(
  { command: [program = '', ...first], env }: Program,
  args: readonly string[],
  { signal, timeoutMs, log, onEvent }: Running,
): Promise<Ran> {
  signal.throwIfAborted()
  const started = performance.now()
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  // A new process group, so that Ctrl-C in the terminal only reaches it through the signal.
  const child = startProgram(program, [...first, ...args, '--json'], { env, cwd: '/', stdio, detached: true })
  const file = createWriteStream(log, { flags: 'a' })
  let words = ''
  let timedOut = false
  let kill: NodeJS.Timeout | undefined
  const stop = () => {
    child.kill('SIGINT')
    kill ??= setTimeout(() => child.kill('SIGKILL'), limits.evaluation.attemptGraceMs)
  }
  const over = setTimeout(() => {
    timedOut = true
    stop()
  }, timeoutMs)
  signal.addEventListener('abort', stop, { once: true })
  const ended = once(child, 'close')
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    words = (words + chunk).slice(-wordsChars)
  })
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      file.write(`${line}\n`)
      if (line.startsWith('{')) onEvent?.(JSON.parse(line) as DrydockEvent)
    }
    const [exitCode] = (await ended) as [number | null]
    signal.throwIfAborted()
    return { exitCode, timedOut, wallMs: Math.round(performance.now() - started), words: words.trim() }
  } finally {
    clearTimeout(over)
    clearTimeout(kill)
    signal.removeEventListener('abort', stop)
    await finished(file.end())
  }
}
