import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

/** How the live line makes place for the next. */
export const eraseLine = '\r\u001b[2K'

/** A terminal of a width, or a pipe, that keeps what is written to it. */
export interface FakeTerminal {
  readonly stream: NodeJS.WriteStream
  written(): string
  /** What a person reads: its lines, each after what overwrote it, without colours. */
  lines(): readonly string[]
}

export function createTerminal(columns: number | null): FakeTerminal {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  Object.assign(stream, columns === null ? {} : { isTTY: true, columns })
  const lines = () => text.split('\n').map((line) => stripVTControlCharacters(line.split(eraseLine).at(-1) ?? ''))
  return { stream: stream as unknown as NodeJS.WriteStream, written: () => text, lines }
}
