import fc from 'fast-check'
import { expect, test } from 'vitest'
import { titleOfSpec } from '../../src/domain/run/spec.ts'
import { specMarkdown } from '../../src/domain/run/written-spec.ts'

const titleOf = (text: string) => titleOfSpec({ text, source: 'text' })

test.each([
  ['a line of text', 'Add a clock', 'Add a clock'],
  ['its first heading, wherever it is', 'Some words.\n\n## A clock\n\n# Later', 'A clock'],
  ['its first line that is not blank', '\n  \n  Add a clock  \nand more', 'Add a clock'],
  ['a heading with line endings of Windows', 'Words\r\n# A clock\r\n', 'A clock'],
  ['a heading, not a line that only looks like one', '#1 of all\n#\n# A clock', 'A clock'],
  ['as it is when it only looks like a heading', '#1 of all', '#1 of all'],
  ['nothing when nothing is there', ' \n\t\n', ''],
])('the title of a spec is %s', (_what, text, title) => {
  expect(titleOf(text)).toBe(title)
})

test('the title of a spec is one line of at most 100 characters', () => {
  expect(titleOf(`# ${'x'.repeat(101)}`)).toBe('x'.repeat(100))
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('#', ' ', '\n', '\r', 'a', 'é', '\t'), maxLength: 400 }), (text) => {
      expect(titleOf(text)).toMatch(/^[^\n]{0,100}$/)
    }),
  )
})

test('a spec that a model has written holds nothing that its reader does not see', () => {
  const hidden = '\u001b]0;t\u0007\u001b[2J\u202e\u200b\u{e0041}\u0000'
  const parts = (mark: string) => ({
    title: `Say${mark} new`,
    goal: `It is${mark} new.\n\nFor all.`,
    behaviour: [`new${mark}\n  as here`],
    acceptance_criteria: [`${mark}new`],
    non_goals: [`می\u200cخواهم 👩\u200d💻${mark}`],
    open_risks: [],
  })
  expect(specMarkdown(parts(hidden))).toBe(specMarkdown(parts('')))
  expect(specMarkdown(parts(hidden))).toContain('می\u200cخواهم 👩\u200d💻')
})
