import fc from 'fast-check'
import { expect } from 'vitest'
import { applyHunks } from '../../../src/domain/edit/apply-hunks.ts'
import { changesBetween } from '../../../src/domain/edit/line-change.ts'
import { parsePatch } from '../../../src/domain/edit/parse-patch.ts'
import { expectClearError } from '../clear-error.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Input {
  readonly text: string
  readonly patch: string
}

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', ' a', '  a', '\ta', 'a ', '', '}') },
  { weight: 1, arbitrary: nasty },
)
const texts = fc
  .array(fc.tuple(word, fc.constantFrom('\n', '\r\n')), { maxLength: 8 })
  .map((lines) => lines.flat().join(''))
const patchLine = fc.oneof(
  fc.tuple(fc.constantFrom(' ', '-', '+', ' ', '-', '+', '@@ '), word).map((parts) => parts.join('')),
  fc.constantFrom(
    '@@',
    '@@ -1 +1 @@',
    '*** End of File',
    '*** Update File: f',
    '*** Move to: g',
    '*** Add File: n',
    '',
  ),
)
const inputs: fc.Arbitrary<Input> = fc.record({
  text: texts,
  patch: fc.array(patchLine, { maxLength: 10 }).map((lines) => {
    return ['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch'].join('\n')
  }),
})

/** Any patch of a text: it removes at most the lines that it names, and keeps all others. */
export const applyPatch: FuzzTarget<Input> = {
  name: 'apply-patch',
  async open() {
    return { inputs, check }
  },
}

function check({ text, patch }: Input): void {
  const parsed = parsePatch(patch)
  if (!parsed.ok) {
    expectClearError(parsed.reason)
    return
  }
  for (const file of parsed.files) {
    if (file.kind !== 'update') continue
    const result = applyHunks(text, file.hunks)
    if (!result.ok) {
      expectClearError(result.reason)
      continue
    }
    const count = (kind: string) =>
      file.hunks.flatMap(({ changes }) => changes.filter((each) => each.kind === kind)).length
    const made = changesBetween(linesIn(text), linesIn(result.text))
    const [dropped, added] = ['drop', 'add'].map((kind) => made.filter((each) => each.kind === kind).length)
    // The last line may gain the line ending that it lacked.
    const unended = text === '' || text.endsWith('\n') ? 0 : 1
    expect(dropped).toBeLessThanOrEqual(count('drop') + unended)
    expect(added).toBeLessThanOrEqual(count('add') + unended)
  }
}

function linesIn(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
