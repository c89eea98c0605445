import { expect, test } from 'vitest'
import { memoryNode } from '../../world/node.ts'
import type { Program } from '../../world/sandbox.ts'
import { makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'

const head = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { area } from '../src/area.js'\n`
const squares = `test('squares', () => { assert.equal(area(2), 4) })\n`
const large = `test('large ones', () => { assert.equal(area(10), 100) })\n`
const source = 'export const area = (side) => side * side\n'
const files = {
  'package.json': '{ "name": "area", "type": "module" }\n',
  'src/area.js': source,
  'test/area.test.js': head + squares + large,
}
const wrong = 'export const area = (side) => side * 2\n'
const exchanged = head + squares + large.replace('100', '20')

/**
 * A runner in which `large ones` fails in these runs of a tree, counted from 1; a tree is
 * identified by its source and its tests.
 */
function byChance(failing: Readonly<Record<string, readonly number[]>>) {
  const runs = new Map<string, number>()
  const treeOf = (seen: Parameters<Program>[0]) => {
    const [own, tests] = [seen.read('src/area.js'), seen.read('test/area.test.js')]
    return own === source
      ? tests === files['test/area.test.js']
        ? 'base'
        : 'proof'
      : tests === files['test/area.test.js']
        ? 'hybrid'
        : 'change'
  }
  const runner: Program = async (seen) => {
    const tree = treeOf(seen)
    const number = (runs.get(tree) ?? 0) + 1
    runs.set(tree, number)
    const ran = await memoryNode(seen, ['--test'])
    if (typeof ran === 'number' || !failing[tree]?.includes(number)) return ran
    const output = (ran.output ?? '').replace(/^( *)ok (\d+) - large ones$/m, '$1not ok $2 - large ones')
    return { exitCode: 1, output }
  }
  return { runner, runs }
}

async function verifyChange(
  failing: Readonly<Record<string, readonly number[]>>,
  change: Readonly<Record<string, string>>,
  more: Partial<VerifierInput> = {},
) {
  const { runner, runs } = byChance(failing)
  const world = makeMemoryGate(files, { runner })
  const commit = world.commitOf(change)
  const { status, manifest, tail_log } = await world.ask({
    steps: [{ command: 'runner' }],
    purpose: 'change',
    commit,
    refactor: true,
    ...more,
  })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  const kinds = manifest?.integrity?.findings.map(({ kind }) => kind)
  return { kinds, flaky: manifest?.flaky, runsOnBase: runs.get('base'), proof: manifest?.integrity?.proof?.status }
}

const rewritten = { 'src/area.js': wrong, 'test/area.test.js': exchanged }
const honest = {
  'src/area.js': source.replace('side * side', 'side ** 2'),
  'test/area.test.js': `${head}${squares}${large}// tidied\n`,
}

test('a test that a change makes flaky is still an old test that fails on the new sources', async () => {
  const { kinds, flaky } = await verifyChange({ change: [1] }, rewritten)
  expect([flaky, kinds]).toEqual([['large ones'], ['behaviour_changed']])
})

test.each([
  ['failed there first', [1]],
  ['fails there the second time', [2]],
  ['fails there the third time', [3]],
])('a test that is flaky on the base commit as well, and %s, is told nothing of', async (_when, base) => {
  const { kinds, flaky } = await verifyChange({ change: [1], hybrid: [1, 2], base }, honest)
  expect([flaky, kinds]).toEqual([['large ones'], []])
})

test('the base commit runs again only if a flaky test would be excused', async () => {
  expect(await verifyChange({ change: [1] }, honest)).toMatchObject({ kinds: [], runsOnBase: 1 })
  expect(await verifyChange({ change: [1], hybrid: [1, 2] }, honest)).toMatchObject({
    kinds: ['behaviour_changed'],
    runsOnBase: 3,
  })
})

test('a flaky new test proves nothing by failing once without the change', async () => {
  const added = `${head}${squares}${large.replace('100', '10 ** 2')}`
  const asked = { refactor: false }
  const change = { 'src/area.js': source.replace('side * side', 'side ** 2'), 'test/area.test.js': added }
  expect(await verifyChange({ change: [1], proof: [1] }, change, asked)).toMatchObject({
    proof: 'not_proven',
    kinds: ['no_proof'],
  })
  expect(await verifyChange({ change: [1], proof: [1, 2] }, change, asked)).toMatchObject({
    proof: 'proven',
    kinds: [],
  })
})
