import { expect, test } from 'vitest'
import { drawnValues } from '../../../../src/domain/gate/canaries/drawn-values.ts'
import { spoilExpectations } from '../../../../src/domain/gate/canaries/spoil-expectations.ts'

const spoil = (text: string) => spoilExpectations({ path: 'a.test.js', text, before: null, values: drawnValues('a') })

const each = 'test.each([\n  [1, 1],\n  [2, «8»],\n])'
const rows = "const rows = [\n  { of: 'one', n: 1, is: 1 },\n  { of: 'two', n: 2, is: «8» },\n]\n"

test.each<readonly [string, string, readonly string[], readonly string[]]>([
  [
    'test.each with columns',
    `${each}('cube of %i is %i', (n, is) => {\n  expect(cube(n)).toBe(is)\n})`,
    ['cube of 2 is 9'],
    ['cube of 1 is 1'],
  ],
  ['one title for all rows', `${each}('cubes', (n, is) => { expect(cube(n)).toBe(is) })`, ['cubes'], ['cubes of 2']],
  [
    'keys of rows',
    `${rows}it.each(rows)('cube of $of', ({ n, is }) => expect(cube(n)).toBe(is))`,
    ['cube of two'],
    ['cube of one'],
  ],
  [
    'a row of its own',
    `${rows}test.for(rows)('cube of $of: $is', (row) => { assert.equal(cube(row.n), row.is) })`,
    ['cube of two: 9'],
    ['cube of one: 1'],
  ],
  [
    'a loop that declares tests',
    'for (const [n, is] of [[1, 1], [2, «8»]]) test(`cube of ${n} is ${is}`, () => assert.equal(cube(n), is))',
    ['cube of 2 is 9'],
    ['cube of 1 is 1'],
  ],
  [
    'forEach that declares tests',
    `${rows}rows.forEach(({ of, n, is: cubed }) => {\n  test(\`cube of \${of}\`, () => {\n    assert.equal(cube(n), cubed)\n  })\n})`,
    ['cube of two'],
    ['cube of one'],
  ],
  [
    'a loop in a test',
    "test('cubes', () => {\n  for (const [n, is] of [[1, 1], [2, «8»]]) {\n    assert.equal(cube(n), is)\n  }\n})",
    ['cubes'],
    [],
  ],
  [
    'forEach in a test',
    `${rows}test('cubes', () => { rows.forEach((row) => { expect(cube(row.n)).toBe(row.is) }) })`,
    ['cubes'],
    [],
  ],
  [
    'a subtest',
    "test('cubes', async (t) => {\n  await t.test('of two', () => { assert.equal(cube(2), «8») })\n})",
    ['of two'],
    [],
  ],
])('%s: the last value is replaced', (_what, marked, ...[names, others]) => {
  const [before = '', literal = '', behind = ''] = marked.split(/[«»]/)
  const { text, tests } = spoil(before + literal + behind)
  expect(tests).toHaveLength(1)
  expect([text.slice(0, before.length), text.slice(-behind.length)]).toEqual([before, behind])
  expect(text.slice(before.length, -behind.length)).not.toBe(literal)
  const { name = '', pattern = name } = tests[0] ?? {}
  const isNamed = (each: string) => new RegExp(`^(?:${pattern})$`).test(each)
  expect([names.filter(isNamed), others.filter(isNamed)]).toEqual([names, []])
})

test.each([
  'test.each(made())("a %i", (n, is) => { expect(cube(n)).toBe(is) })',
  'test.each([[1, 1]])("%s", (n, is) => { expect(cube(n)).toBe(is) })',
  'test.each([[1, cube(1)]])("a %i", (n, is) => { expect(cube(n)).toBe(is) })',
  'test.each([...all, [1, 1]].map(f))("a %i", (n, is) => { expect(cube(n)).toBe(is) })',
  'test.each([[1, 1]])("a %i", (n, is) => { if (n) expect(cube(n)).toBe(is) })',
  'test.each([[1, 1]])("a %i", (n, is) => { if (!is) throw new Error()\n  expect(cube(n)).toBe(is) })',
  'test.each([[1, 1]])("turned round %i", (n, is) => { expect(cube(root(is))).toBe(is) })',
  'test.each([[1, 1]])("a %i", (n, wantsError) => { expect(cube(n)).toBe(wantsError) })',
  'test.each([[1, 1]])("not a %i", (n, is) => { expect(cube(n)).not.toBe(is) })',
  'for (const n of [1, 2]) test(`cube of ${n}`, () => { assert.equal(cube(n), n) })',
  'for (const n of all) test(`cube of ${n}`, () => { assert.equal(cube(n), 1) })',
  'const rows = [[1, 1]]\nfor (const [n, is] of rows) test(`a ${n}`, () => { assert.equal(cube(n), is) })\nuse(rows)',
  "test('a', () => { for (const row of [{ n: 1, is: 1 }]) { show(row); assert.equal(cube(row.n), row.is) } })",
  "test('a', { skip: true }, async (t) => { await t.test('b', () => { assert.equal(f(), 4) }) })",
])('what need not fail in a table is left alone: %s', (text) => {
  expect(spoil(text)).toEqual({ text, tests: [] })
})

test('of a test and its subtests the test itself is spoiled', () => {
  const text = "test('a', async (t) => { assert.equal(f(), 4); await t.test('b', () => { assert.equal(f(), 4) }) })"
  expect(spoil(text).tests.map(({ name }) => name)).toEqual(['a'])
})
