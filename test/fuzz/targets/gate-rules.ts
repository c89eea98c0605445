import fc from 'fast-check'
import { expect } from 'vitest'
import { countAssertions, countSkips } from '../../../src/domain/gate/assertions.ts'
import { isSameCode, syntaxOf } from '../../../src/domain/gate/code-syntax.ts'
import { disguisesIn } from '../../../src/domain/gate/disguises.ts'
import { filesNamedIn, guardedBy, isPackageManifest } from '../../../src/domain/gate/guarded-file.ts'
import { manifestChanges } from '../../../src/domain/gate/manifests/package-manifest.ts'
import { maskCode } from '../../../src/domain/gate/mask-code.ts'
import { spokenIn } from '../../../src/domain/gate/self-judging.ts'
import { countSuppressions } from '../../../src/domain/gate/suppressions.ts'
import { declaresRefactor, isTestFile } from '../../../src/domain/story/plan.ts'
import { namedIn, pathsFor } from '../../../src/gate/tracing/named-files.ts'
import { readTrace } from '../../../src/gate/tracing/step-trace.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Input {
  readonly path: string
  readonly text: string
}

const path = fc.constantFrom(
  'a.test.ts',
  'test_a.py',
  'a_spec.rb',
  'ATest.php',
  'a_test.go',
  'a.rs',
  'a.exs',
  'ATest.java',
  'a',
  'package.json',
  'Cargo.toml',
  'Makefile',
  'a.sh',
  '.mocharc.json',
)
const code = fc.constantFrom(
  'expect(a).toBe(1)',
  'expect(a)',
  'assert a == 1',
  'assert (a, "b")',
  'assert_eq!(a, b);',
  'it.skip(',
  '@skip',
  't.Error("a")',
  'it("a", () => {',
  'eslint-disable',
  '/* eslint a: 0, ',
  'new Error().stack',
  'e = new Error',
  'p\u0430ss',
  '\u202e',
  'noqa',
  '#[allow(',
  'process.exit(0)',
  'def __eq__(a): return True',
  'Math.random = ',
  '`',
  '${',
  '}',
  '//',
  '/*',
  '*/',
  '#',
  '"""',
  "'''",
  '"',
  "'",
  'r#"',
  '"#',
  '<<~A',
  'A',
  '=begin',
  '=end',
  '/',
  '(',
  ')',
  '[',
  ']',
  '{',
  '\n',
  '\\',
  'setupFiles: [',
  "'./a'",
  '. "$(dirname "$0")/a"',
  'include',
  '--import',
  'node -r',
  'import',
  'from',
  '1 execve("a", ["a"], 0x1) = 0',
  '1 clone() = 2',
  '2 openat(AT, "a", O_RDONLY) = 3</repo/a.test.ts>',
  '\\303',
  '[a]',
  '[[a.b]]',
  'a = 1',
  'a = """',
  'a = [',
  '{"scripts":',
  '{',
  ':',
  ',',
)
const inputs: fc.Arbitrary<Input> = fc.record({
  path: fc.oneof(path, nasty),
  text: fc.array(fc.oneof(code, code, nasty), { maxLength: 20 }).map((parts) => parts.join(' ')),
})

/** The rules by which the gate notices that a change weakens it, for any text. */
export const gateRules: FuzzTarget<Input> = {
  name: 'gate-rules',
  async open() {
    return { inputs, check }
  },
}

function check({ path: file, text }: Input): void {
  const masked = maskCode(text, syntaxOf(file, text))
  expect(masked.length).toBe(text.length)
  for (const each of namedIn(file, text).flatMap((named) => pathsFor(named))) expect(each).not.toContain('\n')
  const { opened } = readTrace(text, { folder: '', isTest: isTestFile })
  for (const each of opened.keys()) expect(each).not.toMatch(/^\//)
  expect(masked.replace(/[^\n]/g, '')).toBe(text.replace(/[^\n]/g, ''))
  for (const count of [countAssertions(text, file), countSkips(text, file), countSuppressions(text, file)])
    expect(count).toBeGreaterThanOrEqual(0)
  const lines = text.split('\n').length
  for (const { firstLine, lastLine } of spokenIn(text, file))
    expect([firstLine >= 1, firstLine <= lastLine, lastLine <= lines]).toEqual([true, true, true])
  expect(isSameCode(text, text, file)).toBe(true)
  const added = { path: file, after: text, isAdded: () => true, others: new Set<string>() }
  expect(disguisesIn({ ...added, before: text })).toEqual([])
  for (const { line } of disguisesIn({ ...added, before: null })) expect(line).toBeLessThanOrEqual(lines)
  for (const [before, after] of [
    [text, text],
    [text, ''],
    ['', text],
  ] as const) {
    const changes = manifestChanges(file, [before, after], { isInstalledFrom: true })
    if (before === after) expect(changes).toEqual([])
  }
  guardedBy(text, [file])
  expect([isPackageManifest(text), isTestFile(text)].every((each) => typeof each === 'boolean')).toBe(true)
  expect(filesNamedIn(text).every((name) => name !== '')).toBe(true)
  declaresRefactor({ behaviour_change: text, acceptance_criteria: [], non_goals: [], slices: [], files: [], tests: [] })
}
