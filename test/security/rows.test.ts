import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { securityDoc, securityRows } from '../../scripts/security-rows.ts'
import { attacks } from '../../src/security/attacks.ts'
import { rows } from '../../src/security/rows.ts'

test('docs/security.md is made from the rows and promises; after a change: npm run docs', () => {
  expect(readFileSync(securityDoc, 'utf8')).toBe(securityRows())
})

test('every row has an attack, and every attack a row', () => {
  expect([...new Set(attacks.map(({ row }) => row))]).toEqual(Object.keys(rows))
})

test('attacks of a row each try another way', () => {
  const named = attacks.map(({ row, name }) => `${row}: ${name}`)
  expect(new Set(named).size).toBe(named.length)
})

test('each expectation says in one line what can be observed', () => {
  expect(attacks.filter(({ name, expected }) => !/^[^\n|]{4,120}$/.test(expected) || /[\n|]/.test(name))).toEqual([])
})
