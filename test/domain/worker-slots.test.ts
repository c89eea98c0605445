import { expect, test } from 'vitest'
import { workerSlots } from '../../src/domain/worker/worker-name.ts'

const worker = { name: 'big', id: '4ccd13bb-0000', coders: 2 }

test('slots have the name of their worker, and a part of its id where another one has that name', () => {
  expect(workerSlots(worker, { taken: ['other-001'], own: [] })).toEqual(['big-001', 'big-002'])
  expect(workerSlots(worker, { taken: ['big-002'], own: [] })).toEqual(['big-4ccd-001', 'big-4ccd-002'])
})

test('a worker that comes back keeps the names of its slots when the other one is gone', () => {
  expect(workerSlots(worker, { taken: [], own: ['big-4ccd-001'] })).toEqual(['big-4ccd-001', 'big-4ccd-002'])
})
