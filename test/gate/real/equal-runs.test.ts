import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'
import { base, change, expectEqual, ofCommit, seenIn } from './seen-by-steps.ts'

let world: VerifierWorld

beforeAll(async () => {
  world = await makeVerifierWorld(base)
})
afterAll(() => world.close())

describe('a step sees the same', () => {
  test('in each run of a verification with a new base, and in the next one', async () => {
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
    const later = { ...change, 'triple.js': 'export function triple(n) {\n  return n + n + n\n}\n' }
    const next = await seenIn(world, await world.commitChange(later), { atOnce: 2 })
    expect([...next.keys()]).toEqual(expect.arrayContaining(['canaries.log', 'hybrid.log', 'step-01-test.log']))
    expect([...next.keys()]).not.toContain('base.log')
    for (const seen of next.values()) expectEqual(seen, own, { butFor: ['repository'] })
  }, 120_000)
})
