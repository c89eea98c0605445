import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, parse } from '../src/index.js'

test('names every unit that is not zero', () => {
  assert.equal(format(5_400_000), '1h 30m')
  assert.equal(format(93_784_000), '1d 2h 3m 4s')
  assert.equal(format(0), '0s')
  assert.equal(format(-90_000), '-1m 30s')
})

test('rounds to the nearest second', () => {
  assert.equal(format(1_499), '1s')
  assert.equal(format(1_999), '2s')
})

test('reads back what parse has read', () => {
  for (const text of ['1s', '59s', '1m 1s', '23h 59m 59s', '2d']) assert.equal(format(parse(text)), text)
})
