import { describe, expect, test } from 'vitest'
import { keptCopies } from '../../../src/domain/gate/kept/kept-copies.ts'
import { type ReadFile, readStatements } from '../../../src/domain/gate/kept/statements.ts'

const many = (count: number, body: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `test('adds ${i}', () => {\n${body(i)}\n})\n`).join('\n')

function ask(before: string, after: string) {
  const [was, is] = [before, after].map((text) => readStatements('test/a.test.js', text) as ReadFile)
  const found = keptCopies({ before: [was as ReadFile], after: [is as ReadFile], token: 'ktoken', isGone: () => false })
  return { lost: found.lost.map(({ line }) => line), asks: found.asks.length }
}

const named = (name: string) => (i: number) => `  const ${name} = add(${i}, 1)\n  expect(${name}).toBe(${i + 1})`

describe('assertions that are written otherwise', () => {
  test('renamed variables lose nothing, and are not asked about', () => {
    expect(ask(many(60, named('got')), many(60, named('result')))).toEqual({ lost: [], asks: 0 })
  })
  test('an assertion beside a renamed one does not have its value', () => {
    const two = "test('adds', () => {\n  expect(got).toBe(3)\n  expect(sum(1, 2)).toBe(3)\n})\n"
    const one = "test('adds', () => {\n  expect(result).toBe(3)\n})\n"
    expect(ask(two, one).lost).toEqual(['expect(sum(1, 2)).toBe(3)'])
  })
  test.for([60, 160, 400])('%i of them in another style lose nothing', (count) => {
    const [before, after] = [
      many(count, (i) => `  expect(add(${i}, 1)).toBe(${i + 1})`),
      many(count, (i) => `  assert.equal(add(${i}, 1), ${i + 1})`),
    ]
    const { lost, asks } = ask(before, after)
    expect(lost).toEqual([])
    expect(asks).toBeGreaterThan(10)
    const inOne = (text: string) => `describe('all', () => {\n${text}})\n`
    expect(ask(inOne(before), inOne(after)).lost).toEqual([])
  })
  test.for([60, 300])('a value that is nowhere is lost, also as the last of %i', (count) => {
    const before = many(count, (i) => `  expect(add(${i}, 1)).toBe(${1000 + i})`)
    const after = many(count, (i) =>
      i === count - 1 ? '  assert.ok(add(1, 1))' : `  assert.equal(add(${i}, 1), ${1000 + i})`,
    )
    expect(ask(before, after).lost).toEqual([`expect(add(${count - 1}, 1)).toBe(${1000 + count - 1})`])
  })
})
