import type { Part } from '../brackets.ts'
import type { Assertion } from './assertion-list.ts'
import { type Literal, spoiledValues } from './literals.ts'
import { type ReadFile, renamed, type Statement } from './statements.ts'

/** A value that an old assertion expected, and the copies of tests that ask about it. */
export interface Ask {
  readonly assertion: Assertion
  /** The name of the unchanged copy of the new test, which must pass. */
  readonly control: string
  readonly spoils: readonly { readonly now: string; readonly was: string }[]
  /** The name of the unchanged copy of the old test; `was` counts only if this copy passes. */
  readonly before: string
}

export interface Place {
  readonly file: ReadFile
  readonly literal: Literal
  /** The statement that contains the literal. */
  readonly statement: Statement
  /** The tests that use the statement. */
  readonly unit: Statement
}

/** Most characters of a statement that is copied. */
export const mostChars = 20_000

interface Copying {
  readonly own: ReadFile
  readonly literal: Literal
  readonly place: Place
}

export function createCopies(token: string) {
  const added = new Map<string, string[]>()
  const controls = new Map<string, string>()
  let count = 0
  const add = (path: string, make: (name: string) => string): string => {
    const name = `${token}q${String(count++).padStart(3, '0')}z`
    const own = added.get(path) ?? []
    added.set(path, own)
    own.push(make(name))
    return name
  }
  const controlOf = (key: string, path: string, make: (name: string) => string): string => {
    const known = controls.get(key) ?? add(path, make)
    controls.set(key, known)
    return known
  }
  return {
    size: () => count,
    texts: () => new Map([...added].map(([path, own]) => [path, own.join('\n\n')])),
    ask(assertion: Assertion, { own, literal, place }: Copying): Ask {
      const { file, statement, unit } = place
      const { path } = file
      const old = assertion.statement
      const oldCopy = (by: string | null) => (name: string) =>
        old?.hasTests ? apart(path, copyOf(own, { statement: old, unit: old }, { at: literal, by }, name)) : ''
      const newCopy = (by: string | null) => (name: string) =>
        copyOf(file, { statement, unit }, { at: place.literal, by }, name)
      const values = spoiledValues(own, literal, token)
      const isTried = old?.hasTests === true && old.end - old.start <= mostChars
      return {
        assertion,
        control: controlOf(`${path} ${unit.start} ${statement.start}`, path, newCopy(null)),
        before: isTried ? controlOf(`old ${own.path} ${old.start}`, path, oldCopy(null)) : '',
        spoils: values.map((by) => ({
          now: add(path, newCopy(by)),
          was: isTried ? add(path, oldCopy(by)) : '',
        })),
      }
    },
  }
}

interface Spoiling {
  readonly at: Part
  readonly by: string | null
}

/** A copy of tests and of the helper that has the value, under new names. */
function copyOf(
  file: ReadFile,
  { statement, unit }: { readonly statement: Statement; readonly unit: Statement },
  { at, by }: Spoiling,
  name: string,
): string {
  const spoiled = (part: Part) => {
    const text = file.text.slice(part.start, part.end)
    if (by === null || at.start < part.start || at.end > part.end) return text
    return text.slice(0, at.start - part.start) + by + text.slice(at.end - part.start)
  }
  const { declares } = statement
  if (statement === unit || declares === null) return renamed(spoiled(unit), file.path, name)
  const other = `${declares}_${name}`
  const word = new RegExp(`(?<![\\w$.'"])${declares.replaceAll('$', '\\$')}(?![\\w$'"])`, 'g')
  const tests = renamed(file.text.slice(unit.start, unit.end), file.path, name)
  const used = spoiled(statement).replace(/^export\s+(?:default\s+)?/, '')
  return [used, tests].map((text) => text.replace(word, other)).join('\n\n')
}

/**
 * Guards the text of an old test against a file that no longer imports its runner, base class or
 * decorators: then the copy declares nothing, and the other tests of the file run.
 */
function apart(path: string, text: string): string {
  if (!path.endsWith('.py')) return `try {\n${text}\n} catch {}`
  return `try:\n    exec(compile(${JSON.stringify(text)}, __file__, 'exec'), globals())\nexcept Exception:\n    pass`
}

/** Adds copies of tests at the end of a file, but before the main guard of a Python script. */
export function withCopies(path: string, text: string, copies: string): string {
  const main = path.endsWith('.py') ? text.search(/^if[ \t]+__name__[ \t]*==/m) : -1
  const at = main < 0 ? text.length : main
  return `${text.slice(0, at).trimEnd()}\n\n\n${copies}\n\n\n${text.slice(at)}`
}
