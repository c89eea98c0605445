import type { Socket } from 'node:net'
import { lineSplitter } from '../../domain/line-splitter.ts'

/** A command as another process was given it: all that it has of that process. */
export interface HandedCommand {
  /** Of the program that asks; another one is turned away. */
  readonly edition: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Columns of each; 0 for a terminal that does not say, null for what is no terminal. */
  readonly columns: { readonly stdout: number | null; readonly stderr: number | null }
}

/** A Run that is about to be stored, with what another process needs to store the same once. */
export interface BeginLine {
  readonly key: string
  readonly command: object & { readonly run: string }
}

/** What the one that asks says. */
export type Asking =
  | { readonly hand: HandedCommand }
  /** It knows what was begun, so that it can go on alone. */
  | { readonly knows: string }
  | { readonly signal: NodeJS.Signals }
  | { readonly columns: HandedCommand['columns'] }

/** What the one that serves says; several at once come as one line, whole or not at all. */
export type Serving =
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly begun: BeginLine }
  /** All events up to this one were shown. */
  | { readonly shown: number }
  /** It does the command, at the beginning and from time to time. */
  | { readonly alive: true }
  | { readonly exit: number }

/**
 * Characters of one line: a text of a task, and an environment. No more is kept for a reader that
 * does not read.
 */
const longestLine = 16_777_216

/** False when the other end has not read what it was told for so long that it is too much. */
export function sayLine(socket: Socket, said: Asking | readonly Serving[]): boolean {
  socket.write(`${JSON.stringify(said)}\n`)
  return socket.writableLength <= longestLine
}

/** Hears lines of JSON. Whoever says something else is cut off. */
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
