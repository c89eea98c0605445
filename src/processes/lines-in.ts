import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { lineSplitter } from '../domain/line-splitter.ts'

interface LineBounds {
  readonly maxChars?: number
  /** Counts what arrives, before its lines are handed on. An error of it ends the reading. */
  readonly onBytes: (bytes: number) => void
  /** Throws the error that a longer line ends the reading with. */
  readonly onOverflow?: () => never
}

/** The lines that a program writes. A last one that nothing ends is none. */
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
