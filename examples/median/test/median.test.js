import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median } from '../median.js'

test('the median of an odd number of numbers', () => {
  assert.equal(median([3, 1, 2]), 2)
})
