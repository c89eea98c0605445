import type { Socket } from 'node:net'
import { lineSplitter } from '../../domain/line-splitter.ts'

/** A command with everything that the server gets from the process where it was typed. */
export interface HandedCommand {
  /** The edition of the asking program. A server of a different edition refuses the command. */
  readonly edition: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /**
   * Columns of each stream; 0 for a terminal that does not tell, null for a stream without a
   * terminal.
   */
  readonly columns: { readonly stdout: number | null; readonly stderr: number | null }
}

/**
 * A Run that is about to be stored, with the data by which another process can store it, too, but
 * only once.
 */
export interface BeginLine {
  readonly key: string
  readonly command: object & { readonly run: string }
}

/** A line from the asking process. */
export type Asking =
  | { readonly hand: HandedCommand }
  /** The asking process knows which Run was begun, and so can continue alone. */
  | { readonly knows: string }
  | { readonly signal: NodeJS.Signals }
  | { readonly columns: HandedCommand['columns'] }

/**
 * A message from the serving process. Several messages are sent in one line, so that they arrive
 * together.
 */
export type Serving =
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly begun: BeginLine }
  /** All events up to this id have been shown. */
  | { readonly shown: number }
  /** The heartbeat of the serving process, sent first and then repeatedly. */
  | { readonly alive: true }
  | { readonly exit: number }

/**
 * The maximum length of a line, in characters, for a task's text and an environment. Also the most
 * that is buffered for a slow reader.
 */
const longestLine = 16_777_216

/** False when the other end has not read for so long that the buffer is full. */
export function sayLine(socket: Socket, said: Asking | readonly Serving[]): boolean {
  socket.write(`${JSON.stringify(said)}\n`)
  return socket.writableLength <= longestLine
}

/** Reads lines of JSON. Closes the connection after any other input. */
export function onLines(socket: Socket, take: (said: unknown) => void): void {
  const onLine = (line: string) => {
    if (socket.destroyed) return
    try {
      take(JSON.parse(line))
    } catch {
      socket.destroy()
    }
  }
  const onOverflow = () => socket.destroy()
  socket.setEncoding('utf8').on('data', lineSplitter({ maxChars: longestLine, onLine, onOverflow }))
}
