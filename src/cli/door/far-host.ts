import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { Writable } from 'node:stream'
import { limits } from '../../domain/limits.ts'
import type { Terminal } from '../screen/output.ts'
import { type Host, thisProcess } from './host.ts'
import { type Asking, type HandedCommand, type Serving, sayLine } from './lines.ts'

/** Milliseconds that the last output may take. */
const flushMs = 1_000

/** The terminal of a command that another process was given. */
export interface FarTerminal {
  readonly terminal: Terminal
  /** Handles a line from that process. */
  hear(said: unknown): void
  /** Sends the exit code, and nothing after it. */
  end(exitCode: number): void
  /** Leaves the command to the other process, as if this one had died. */
  leave(): void
}

export function createFarTerminal(
  socket: Socket,
  { cwd, env, columns }: HandedCommand,
  open: Host['open'],
): FarTerminal {
  const gone = new AbortController()
  const signals = new EventEmitter<Record<string, [NodeJS.Signals]>>()
  const known = new EventEmitter<Record<string, []>>()
  let unsaid: Serving[] = []
  const flush = () => {
    if (gone.signal.aborted || unsaid.length === 0) return
    const said = unsaid
    unsaid = []
    if (!sayLine(socket, said)) leave()
  }
  // Sends an event and its "shown" mark in one line, so that no other process shows the event
  // again.
  const say = (said: Serving) => {
    if (!gone.signal.aborted && unsaid.push(said) === 1) queueMicrotask(flush)
  }
  const leave = () => {
    clearInterval(heart)
    gone.abort()
    socket.end()
    // Does not wait for a reader that has stopped reading.
    setTimeout(() => socket.destroy(), flushMs).unref()
  }
  const end = (exit: number) => {
    say({ exit })
    flush()
    leave()
  }
  const stdout = stream((text) => say({ stdout: text }), columns.stdout)
  const stderr = stream((text) => say({ stderr: text }), columns.stderr)
  const host: Host = {
    cwd: () => cwd,
    on: (signal, listener) => void signals.on(signal, listener),
    off: (signal, listener) => void signals.off(signal, listener),
    exit: end,
    open,
    openReceipts: thisProcess.openReceipts,
    async begin(beginning) {
      gone.signal.throwIfAborted()
      const knows = once(known, beginning.key, { signal: gone.signal })
      say({ begun: beginning })
      await knows
      return beginning
    },
    after: 0,
    shown: (event) => say({ shown: event }),
    gone: gone.signal,
  }
  const heart = setInterval(() => say({ alive: true }), limits.owner.heartbeatMs)
  socket.on('close', leave)
  say({ alive: true })
  return {
    terminal: { env, stdout, stderr, host },
    hear(given) {
      const said = given as Asking
      if ('knows' in said) known.emit(said.knows)
      else if ('columns' in said) {
        resize(stdout, said.columns.stdout)
        resize(stderr, said.columns.stderr)
      }
      // A signal without a listener ends the command as it would end a process.
      else if ('signal' in said && !signals.emit(said.signal, said.signal)) end(128 + constants.signals[said.signal])
    },
    end,
    leave,
  }
}

function stream(take: (text: string) => void, columns: number | null): NodeJS.WriteStream {
  const made = new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk))
      done()
    },
  }) as unknown as NodeJS.WriteStream
  return resize(made, columns)
}

function resize(of: NodeJS.WriteStream, columns: number | null): NodeJS.WriteStream {
  return Object.assign(of, columns === null ? {} : { isTTY: true, columns })
}
