import fc from 'fast-check'
import { expect } from 'vitest'
import { diffFiles } from '../../../dashboard/parts/diff/diff-files.ts'
import { rowsOf } from '../../../dashboard/parts/diff/diff-rows.ts'
import { tokensOf } from '../../../dashboard/parts/diff/diff-tokens.ts'
import { paintDiff } from '../../../src/cli/screen/paint-diff.ts'
import { createScreen } from '../../../src/cli/screen/screen.ts'
import { changedLines } from '../../../src/domain/gate/changed-lines.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Line {
  readonly sign: ' ' | '+' | '-'
  readonly text: string
}

interface Input {
  readonly path: string
  readonly lines: readonly Line[]
  /** Appended to the diff. */
  readonly rest: string
}

const oneLine = (text: string): string => text.replace(/[\n\r]/g, '')
const texts = fc.oneof(
  nasty.map(oneLine),
  fc.constantFrom('-- a/x', '++ b/x', '@@ -1 +1 @@', 'diff --git a b', '- a', 'let a = 1'),
)
const inputs: fc.Arbitrary<Input> = fc.record({
  path: fc.constantFrom('a.ts', 'b.py', 'c.md', 'd', 'e f.rs', 'x.json', 'é.css'),
  lines: fc.array(fc.record({ sign: fc.constantFrom(' ', '+', '-'), text: texts }), { minLength: 1, maxLength: 12 }),
  rest: fc.oneof(
    fc.constant(''),
    fc.constant(''),
    nasty,
    fc.array(texts).map((lines) => lines.join('\n')),
  ),
})

/** All readers of a diff: the terminal, the gate, and the dashboard. */
export const diff: FuzzTarget<Input> = {
  name: 'diff',
  async open() {
    return { inputs, check }
  },
}

function diffOf({ path, lines }: Input): string {
  const [old, now] = [' -', ' +'].map((signs) => lines.filter(({ sign }) => signs.includes(sign)).length)
  const head = `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n`
  return `${head}@@ -1,${old} +1,${now} @@\n${lines.map(({ sign, text }) => `${sign}${text}\n`).join('')}`
}

function check(input: Input): void {
  const clean = diffOf(input)
  expect(diffFiles(clean, new Map())?.map(({ path }) => path)).toEqual([input.path])
  const changed = input.lines.filter(({ sign }) => sign !== ' ').map(({ sign, text }) => sign + text)
  expect(changedLines(clean)).toEqual(changed)
  expect(changedLines(clean + clean)).toEqual([...changed, ...changed])
  for (const text of [clean, clean + input.rest, input.rest]) {
    changedLines(text)
    checkPainted(text)
    checkShown(text)
  }
}

const stream = (isTTY: boolean) => ({ isTTY, columns: 80 }) as unknown as NodeJS.WriteStream

function checkPainted(text: string): void {
  expect(paintDiff(createScreen(stream(false), {}), text)).toBe(text.replace(/\n$/, ''))
  const screen = createScreen(stream(true), {})
  const painted = paintDiff(screen, text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that were put in, and nothing else
  const plain = painted.replace(/\u001b\[(?:1|2|22|31|32|39)m/g, '')
  expect(plain).toBe(screen.clean(text.replace(/\n$/, '')))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what would steer the terminal
  expect(plain).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
}

/** Checks the dashboard's view of the diff, or plain text if it cannot be parsed. */
function checkShown(text: string): void {
  for (const file of diffFiles(text, new Map()) ?? []) {
    const shown = { hasContext: true, total: null }
    const lines = rowsOf(file, { ...shown, isSplit: false }).flatMap((row) => (row.kind === 'line' ? [row] : []))
    const pairs = rowsOf(file, { ...shown, isSplit: true }).flatMap((row) => (row.kind === 'pair' ? [row] : []))
    const sides = pairs.flatMap(({ old, new: now }) => [old, now].flatMap((line) => line?.chunk.changes[line.at] ?? []))
    expect(new Set(sides)).toEqual(new Set(lines.map(({ chunk, at }) => chunk.changes[at])))
    const chunks = new Set(lines.map(({ chunk }) => chunk))
    for (const chunk of chunks) {
      const shown = tokensOf(chunk).map((line) => line.map((piece) => piece.text).join(''))
      expect(shown).toEqual(chunk.changes.map(({ content }) => content))
    }
  }
}
