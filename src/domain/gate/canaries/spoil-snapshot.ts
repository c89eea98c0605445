import { isProgram } from '../file-kind.ts'
import type { DrawnValues } from './drawn-values.ts'
import { otherText } from './other-literal.ts'
import type { SpoiledTest } from './spoiling.ts'
import { testsWithText } from './tests-named-in.ts'

interface Snapshot {
  readonly path: string
  readonly text: string
  /** True if the base commit has the same text, so the spoiled text can be tried there. */
  readonly isOld: boolean
}

interface Reader {
  readonly path: string
  readonly text: string
}

interface SpoiledSnapshot {
  readonly text: string
  readonly tests: readonly Omit<SpoiledTest, 'isOld'>[]
}

const snapshots = /(?:^|\/)__snapshots__\/|\.(?:snap|golden|approved|expected)(?:\.\w+)?$/
const folders = /(?:^|\/)(?:goldens?|snapshots)\//
const entry = /^(exports\[`)([^`]+)(`\] = `)([^`]*)(`;)$/gm

/** True if a file, by its name, holds nothing but expected values of tests. */
export function isSnapshot(path: string): boolean {
  return snapshots.test(path) || (folders.test(path) && !isProgram(path))
}

/** True if a test file may compare with a snapshot. */
export function mayRead(reader: Reader, snapshot: string): boolean {
  const name = baseOf(snapshot)
  return name === `${baseOf(reader.path)}.snap` || reader.text.includes(name)
}

/**
 * Changes a letter or digit in the expected value of each test; in a new golden file it changes
 * each word, since the test may rightly ignore a date, a header or some fields. The tests that must
 * fail are those that the snapshot names, or those that name the snapshot.
 */
export function spoilSnapshot(
  { path, text, isOld }: Snapshot,
  reader: Reader,
  values: DrawnValues,
): SpoiledSnapshot | null {
  if (path.endsWith('.snap') && text.includes('exports[`')) {
    const tests: SpoiledSnapshot['tests'][number][] = []
    const made = text.replaceAll(entry, (whole, ...[open, key, middle, value, end]: string[]) => {
      const other = otherIn(value ?? '', values)
      if (other === null) return whole
      const name = (key ?? '').replace(/ \d+$/, '').split(' > ').at(-1) ?? ''
      tests.push({ name, line: `${path}: ${key}`, was: value ?? '', made: other })
      return `${open}${key}${middle}${other}${end}`
    })
    return tests.length === 0 ? null : { text: made, tests }
  }
  const made = isOld ? otherIn(text, values) : otherWords(text, values)
  const names = testsWithText(reader, baseOf(path))
  if (made === null || names.length === 0) return null
  return { text: made, tests: names.map((name) => ({ name, line: path, was: text, made })) }
}

function otherIn(value: string, values: DrawnValues): string | null {
  return /[A-Za-z0-9]/.test(value) ? otherText(value, values) : null
}

/**
 * Keys, escape sequences, placeholders and JSON's words stay, so that the file can still be parsed.
 */
function otherWords(text: string, values: DrawnValues): string | null {
  const words = /(?<![\\%{]\w{0,8}|\w)(?!(?:true|false|null)\b)\w*[A-Za-z0-9]\w*\b(?!["']?[ \t]*[:=])/g
  const made = text.replaceAll(words, (word) => otherIn(word, values) ?? word)
  return made === text ? null : made
}

const baseOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
