import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'
import { watchSandbox } from '../watched-sandbox.ts'
import { changeWith, cheatBy, oldTestsOf, proofOf, tree, turnedBy } from './narrowed-world.ts'

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld(tree)
})
afterAll(() => world.close())

test('few test files prove a change, with the whole tree never asked', async () => {
  const { proof, trees } = await proofOf(world, changeWith("assert.equal(add('2'), 11)"))
  expect(proof).toEqual({ status: 'proven', failing: ['adds texts'] })
  expect(trees).toEqual(['narrowed', 'proof-narrowed'])
})

test('a test that looks whether another file is there proves nothing: the whole tree is asked', async () => {
  const { proof, trees } = await proofOf(world, cheatBy("fs.existsSync('test/add-' + 3 + '.test.js')"))
  expect(proof).toEqual({ status: 'not_proven', passing: ['adds texts'] })
  expect(trees).toEqual(['narrowed', 'proof-narrowed', 'proof'])
})

test('for a known base few old test files and then the canaries run beside the change', async () => {
  let beside = 0
  const canaries = Promise.withResolvers<void>()
  const { watched } = watchSandbox(world.sandbox, (checkout) => {
    if (!checkout.endsWith('-beside-1')) return canaries.promise
    beside += 1
    // The control, the old tests, the canaries.
    if (beside === 3) canaries.resolve()
    return undefined
  })
  const asked = { sandbox: watched, atOnce: 2 }
  const { hybrid, trees } = await oldTestsOf(world, changeWith("assert.equal(add('3'), 12)"), asked)
  expect(hybrid).toEqual({ status: 'held', failing: [] })
  expect(trees).toEqual(['hybrid-narrowed', 'canaries'])
})

test('a source that turns when it sees many test files is asked with all of them', async () => {
  const { hybrid, trees } = await oldTestsOf(world, turnedBy("existsSync('test/add-' + 3 + '.test.js')"))
  expect(hybrid).toEqual({ status: 'behaviour_changed', failing: ['adds 9'] })
  expect(trees).toEqual(['canaries', 'hybrid-narrowed', 'hybrid', 'hybrid-again'])
})
