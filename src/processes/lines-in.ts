import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { lineSplitter } from '../domain/line-splitter.ts'

interface LineBounds {
  readonly maxChars?: number
  /**
   * Called with the number of bytes that arrive, before their lines are passed on. Its error ends
   * the reading.
   */
  readonly onBytes: (bytes: number) => void
  /** Throws the error for a line that is too long. */
  readonly onOverflow?: () => never
}

/** The lines of a program's output. A last line without a line feed is dropped. */
export async function* linesIn(
  stdout: Readable,
  { maxChars = Number.POSITIVE_INFINITY, onBytes, onOverflow }: LineBounds,
): AsyncGenerator<string> {
  const whole: string[] = []
  let isTooLong = false
  const decoder = new StringDecoder('utf8')
  const split = lineSplitter({
    maxChars,
    onLine: (line) => whole.push(line),
    onOverflow: () => {
      isTooLong = true
    },
  })
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    onBytes(chunk.length)
    split(decoder.write(chunk))
    yield* whole.splice(0)
    if (isTooLong) onOverflow?.()
  }
}
