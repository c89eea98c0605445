import { syntaxOf } from '../code-syntax.ts'
import type { DrawnValues } from './drawn-values.ts'
import { otherConstructed, otherLiteral } from './other-literal.ts'
import { expectedInGo } from './spoil-go.ts'
import { expectedInPython } from './spoil-python.ts'
import { expectedInRust } from './spoil-rust.ts'
import { expectedInScript } from './spoil-script.ts'
import type { Expectation, SpoiledTest, Spoiling } from './spoiling.ts'

export interface SpoiledSource {
  readonly text: string
  readonly tests: readonly SpoiledTest[]
}

/**
 * Changes the expected literal in the last top-level assertion of each test. No honest test
 * computes that value: a test that still passes never compares, or does not distinguish the two
 * values. Assertions under a condition, in a callback or a helper, or in a test that is expected to
 * fail are left alone. So are old tests with more code behind the last assertion, since a process
 * may not end without it.
 */
export function spoilExpectations({ path, text, before, values, only, isDeaf = () => false }: Spoiling): SpoiledSource {
  const found = expectationsIn(path, text).flatMap((each) => {
    const { name, line, test, at, isLast, pattern } = each
    const isOld = before?.includes(text.slice(test.start, test.end)) === true
    if ((isOld && (!isLast || isDeaf(name))) || only?.has(name) === false) return []
    const was = text.slice(at.start, at.end)
    const made = each.made ?? otherValue({ path, text: was }, values)
    if (made === null) return []
    return [{ name, ...(pattern !== undefined && { pattern }), line, isOld, at, was, made }]
  })
  const spoiled = found
    .toSorted((a, b) => b.at.start - a.at.start)
    .reduce((rest, { at, made }) => rest.slice(0, at.start) + made + rest.slice(at.end), text)
  return { text: spoiled, tests: found.map(({ at: _at, ...spoiledTest }) => spoiledTest) }
}

/** Without static types, a new word differs from any value. */
function otherValue(literal: { readonly path: string; readonly text: string }, values: DrawnValues): string | null {
  if (/\.(?:go|rs)$/.test(literal.path)) return otherConstructed(literal, values)
  return otherLiteral(literal, values) ?? `'${values.word()}'`
}

function expectationsIn(path: string, text: string): readonly Expectation[] {
  switch (syntaxOf(path, text).language) {
    case 'script':
      return expectedInScript(path, text)
    case 'go':
      return path.endsWith('_test.go') ? expectedInGo(path, text) : []
    case 'rust':
      return path.endsWith('.rs') ? expectedInRust(path, text) : []
    default:
      return path.endsWith('.py') ? expectedInPython(path, text) : []
  }
}
