import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'
import { changeWith, cheatBy, proofOf, tree } from './narrowed-proof-world.ts'

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
