import type { OnProgress } from '../../domain/progress.ts'

/**
 * `Counting objects:  45% (450/1000)`, or `Enumerating objects: 450` while the total is unknown.
 */
const line = /^(?:remote: )?([A-Z][a-z]+(?: [a-z]+)*): +(?:\d+% \((\d+)\/(\d+)\)|(\d+))/
const ends = /[\r\n]/

/** Parses git's progress from its output as it arrives. */
export function progressReader(onProgress: OnProgress): (bytes: Buffer) => void {
  let begun = ''
  return (bytes) => {
    const pieces = (begun + bytes.toString('latin1')).split(ends)
    begun = pieces.pop() ?? ''
    for (const piece of pieces) {
      const [, step, done, total, count] = line.exec(piece) ?? []
      if (step === undefined) continue
      onProgress({ step, done: Number(done ?? count), total: total === undefined ? null : Number(total) })
    }
  }
}

/** Error output without the lines of progress. */
export function withoutProgress(printed: string): string {
  return printed
    .split(ends)
    .filter((each) => !line.test(each))
    .join('\n')
}
