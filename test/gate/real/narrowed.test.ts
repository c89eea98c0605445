import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'
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

test('few old test files answer for the new sources, with the whole tree never asked', async () => {
  const { hybrid, trees } = await oldTestsOf(world, changeWith("assert.equal(add('2'), 11)"))
  expect(hybrid).toEqual({ status: 'held', failing: [] })
  expect(trees).toEqual(['hybrid-narrowed'])
})

test('a source that turns when it sees many test files is asked with all of them', async () => {
  const { hybrid, trees } = await oldTestsOf(world, turnedBy("existsSync('test/add-' + 3 + '.test.js')"))
  expect(hybrid).toEqual({ status: 'behaviour_changed', failing: ['adds 9'] })
  expect(trees).toEqual(['hybrid-narrowed', 'hybrid', 'hybrid-again'])
})
