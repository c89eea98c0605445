import { afterAll, beforeAll, expect, test } from 'vitest'
import { plantProbes } from '../../../src/domain/gate/reach/plant-probes.ts'
import { isStillScript } from '../../../src/gate/reach/plain-code.ts'
import { memoryNode } from '../../world/node.ts'
import { type MemoryGate, makeMemoryGate } from '../memory-gate.ts'

const files = {
  'package.json': '{ "type": "module", "main": "area.js" }\n',
  'area.js': 'export const area = (side) => side * side\n',
  'area.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { area } from './area.js'
test('squares', () => { assert.equal(area(2), 4) })
`,
}

let world: MemoryGate
beforeAll(() => {
  world = makeMemoryGate(files, {
    // Compiles and then tests, like `tsc && node --test`; its compiler rejects probes.
    build: (seen, args) =>
      seen.read('area.js')?.includes('appendFileSync')
        ? { exitCode: 2, output: 'area.js(1,1): error TS2322\n' }
        : memoryNode(seen, args),
  })
})
afterAll(() => world.close())

test('probes that the build rejects do not run again alone', async () => {
  const commit = world.commitOf({
    'area.js': `${files['area.js']}export const cube = (side) => side ** 3\n`,
  })
  const steps = [{ command: 'build --test --test-reporter=spec' }]
  const { status, manifest } = await world.ask({
    purpose: 'change',
    base: world.tip,
    commit,
    steps,
    refactor: true,
    assurance: 'standard',
  })
  expect([status, manifest?.integrity?.findings]).toEqual(['PASS', []])
  expect(manifest?.reach).toMatchObject({ reached: 0, unreached: [], not_tried: ['area.js:2'] })
  expect(() => world.read(manifest?.run_id ?? '', 'logs/reach.log')).toThrow()
})

test('a run in which every test is spoiled has run, and its probes count', async () => {
  let planted = 0
  const counting = makeMemoryGate(files, {
    count: (seen, args) => {
      if (seen.read('area.test.js') !== files['area.test.js']) planted += 1
      return memoryNode(seen, args)
    },
  })
  const commit = counting.commitOf({ 'area.js': 'export const area = (side) => side ** 2\n' })
  const steps = [{ command: 'count --test --test-reporter=spec' }]
  const { status, manifest } = await counting.ask({
    purpose: 'change',
    base: counting.tip,
    commit,
    steps,
    refactor: true,
    assurance: 'standard',
  })
  counting.close()
  expect([status, manifest?.integrity?.findings]).toEqual(['PASS', []])
  expect(manifest?.reach).toMatchObject({ reached: 1, unreached: [], not_tried: [] })
  expect(planted).toBe(1)
})

test.each([
  ['a.ts', '? (0 as never) :'],
  ['a.tsx', '? (0 as never) :'],
  ['a.js', '? 0 :'],
])('the probe of an arrow keeps its type: %s', (path, form) => {
  const head = 'export const f = (a) => '
  const text = `${head}String(a)\n`
  const probes = [{ place: { form: 'value', at: head.length } as const, word: 'p1' }]
  const [planted] = plantProbes({ path, text, probes, into: '/tmp/notes' })
  expect(planted?.text).toContain(`${form} String(a)`)
  expect(isStillScript(path, { was: text, is: planted?.text ?? '' })).toBe(true)
})
