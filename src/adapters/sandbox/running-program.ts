import type { Readable } from 'node:stream'
import type { InfraError } from '../../domain/verification/verdict.ts'
import type { PlainMount, SandboxResult } from '../../ports/sandbox.ts'
import type { RunningProgram, SandboxProgram } from '../../ports/sandbox-program.ts'
import { loopbackPorts } from './loopback-ports.ts'
import type { StartedSandbox } from './start.ts'
import { watchSpace } from './watch-space.ts'

const started = 'drydock: started'
const announce = `echo '${started}' >&2; exec "$@"`
const mostWords = 8_192
/** The time that a sandbox may take before its program runs. */
const startMs = 60_000

export interface ProgramInside {
  /** The sockets behind the ports, and the forwarder's files. */
  readonly mounts: readonly PlainMount[]
  /** Opens the ports, then becomes `argv`. */
  wrap(argv: readonly string[]): readonly string[]
  /**
   * Reports on standard error that the setup is complete, then becomes the program, with `before`
   * prepended.
   */
  announced(before: readonly string[]): readonly string[]
}

export function programInside({ argv, ports }: SandboxProgram): ProgramInside {
  const announced = (before: readonly string[]) => ['/bin/sh', '-c', announce, 'sh', ...before, ...argv]
  if (ports.length === 0) return { mounts: [], wrap: (line) => line, announced }
  const sockets = ports.map(({ port, socket }) => ({ port, path: socket, at: `/.drydock/sockets/${port}` }))
  const { mounts, wrap } = loopbackPorts(sockets.map(({ port, at }) => ({ port, socket: at })))
  const bound = sockets.map(({ path, at }): PlainMount => ({ path, at, access: 'read' }))
  return { mounts: [...mounts, ...bound], wrap, announced }
}

export interface ProgramStart {
  readonly sandbox: StartedSandbox
  /** Host folders that the program can fill. */
  readonly writable: readonly string[]
  /** The reason why the sandbox did not start, derived from its error output. */
  failure(words: string): InfraError
}

/** Waits until the program runs. */
export async function runningProgram(
  { sandbox, writable, failure }: ProgramStart,
  signal: AbortSignal,
): Promise<SandboxResult<RunningProgram>> {
  const { stdin, stdout, stderr, kill, gone } = sandbox
  if (stdin === null || stdout === null || stderr === null) throw new Error('a program was started without pipes')
  const words = listen(stderr)
  const space = watchSpace(writable, kill)
  gone.then(space.stop)
  // A failed write needs no handling, since `gone` reports the program's end.
  stdin.on('error', () => undefined)
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  const overdue = setTimeout(kill, startMs)
  const isRunning = await Promise.race([words.started.then(() => true), gone.then(() => false)])
  clearTimeout(overdue)
  signal.removeEventListener('abort', kill)
  if (signal.aborted) await close()
  signal.throwIfAborted()
  if (!isRunning) {
    const end = await gone
    return { ok: false, error: failure(end.spawned ? words.last() : end.error.message) }
  }
  const ended = gone.then((end) => ({ exitCode: end.spawned ? end.exitCode : null, spaceTaken: space.taken() }))
  return { ok: true, value: { stdin, stdout, lastWords: words.last, ended, close } }

  async function close(): Promise<void> {
    kill()
    // The sandbox counts as gone only after its output has ended, so unread output is discarded.
    stdout?.destroy()
    await gone
  }
}

/**
 * The last text on standard error, and the moment when the wrapper reports that the program runs.
 */
function listen(stderr: Readable) {
  const begun = Promise.withResolvers<void>()
  let text = ''
  let isStarted = false
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const mark = isStarted ? -1 : text.indexOf(`${started}\n`)
    if (mark >= 0) {
      isStarted = true
      text = text.slice(mark + started.length + 1)
      begun.resolve()
    }
    text = text.slice(-mostWords)
  })
  return { started: begun.promise, last: () => text.trim() }
}
