import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'
import { base, change, expectEqual, ofCommit, seenIn } from './seen-by-steps.ts'

let world: VerifierWorld

beforeAll(async () => {
  world = await makeVerifierWorld(base)
})
afterAll(() => world.close())

describe('a step sees the same', () => {
  test('in each run of a verification with a new base', async () => {
    const first = await seenIn(world, await world.commitChange(change))
    const names = [
      'base.log',
      'canaries.log',
      'hunk-01.log',
      'hybrid.log',
      'proof.log',
      'reach.log',
      'step-01-test.log',
    ]
    expect([...first.keys()]).toEqual(expect.arrayContaining(names))
    const own = first.get('step-01-test.log')
    expect(own?.unreachable).toBe('')
    expect(own?.changes).toBe('')
    for (const [name, seen] of first)
      expectEqual(seen, own, { butFor: name === 'base.log' ? ofCommit : ['repository'] })
  }, 120_000)
})
