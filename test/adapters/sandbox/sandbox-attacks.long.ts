import { describe, expect, test } from 'vitest'
import { inPodman } from '../../contracts/sandboxes.ts'
import {
  bombSuite,
  forkBombSuite,
  inAttackFolders,
  marker,
  never,
  open,
  placesOf,
  processesSuite,
  sandbox,
  wallsSuite,
} from './attacks.ts'

inAttackFolders()

const places = placesOf('podman', inPodman.create())
const inBubblewrap = placesOf('bubblewrap', sandbox)
// A session in podman has the same walls as exec, since both are the same container.
describe.each([...places.slice(0, 1), ...inBubblewrap.slice(0, 1)])('inside $name', wallsSuite)
describe.each(places)('processes inside $name', processesSuite)
describe.each([...places, ...inBubblewrap.slice(0, 1)])('processes inside $name', forkBombSuite)
// Bubblewrap has one limit for all places together.
const bounded = [...places, ...inBubblewrap.slice(0, 1)]
describe.each(bounded)('a great many processes inside $name', bombSuite)

describe('the runner', () => {
  test('that is stopped by a command is given up', async () => {
    const session = await open()
    const request = { op: 'run', command: `kill -STOP $PPID; sleep ${marker}`, timeoutMs: 100, maxBytes: 99 } as const
    await expect(session.request(request, never)).rejects.toThrow(
      'The sandbox has ended: its runner did not answer in time',
    )
  })
})
