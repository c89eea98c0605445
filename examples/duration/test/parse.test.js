import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from '../src/index.js'

test('adds up the parts', () => {
  assert.equal(parse('1h 30m'), 5_400_000)
  assert.equal(parse('1d2h3m4s'), 93_784_000)
  assert.equal(parse('1.5h'), 5_400_000)
})

test('refuses what is not a duration', () => {
  assert.throws(() => parse('soon'), RangeError)
  assert.throws(() => parse(''), RangeError)
  assert.throws(() => parse('3 fortnights'), RangeError)
})
