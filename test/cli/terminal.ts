import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

/** The live line's escape sequence that makes room for the next line. */
export const eraseLine = '\r\u001b[2K'

/** A terminal of a given width, or a pipe, that records its output. */
export interface FakeTerminal {
  readonly stream: NodeJS.WriteStream
  written(): string
  /** The lines that a person sees, after overwriting and without colours. */
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
