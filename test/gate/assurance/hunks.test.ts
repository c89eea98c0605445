import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../../src/ports/sandbox.ts'
import type { Program } from '../../world/sandbox.ts'
import { type MemoryGate, makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'

const area = `// Squares.
export const area = (side) => side * side

export function label(side) {
  return 'side ' + side
}

export function shout(text) {
  return text.toUpperCase()
}
`
const files = {
  'package.json': '{ "name": "area", "type": "module" }\n',
  'src/area.js': area,
  'src/unused.js': 'export const unused = 1\n',
  'test/area.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { area } from '../src/area.js'
test('squares', () => { assert.equal(area(2), 4) })
`,
}
const newTest = files['test/area.test.js'].replace('area }', 'area, cube }')
const cubes = `test('cubes', () => { assert.equal(cube(2), 8) })\n`
const cube = 'export const cube = (side) => side ** 3\n'
const steps = [{ command: 'node --test --test-reporter=spec' }]

const install: Program = (seen) => {
  seen.write('deps/installed', '')
  return 0
}

let world: MemoryGate
beforeAll(async () => {
  world = makeMemoryGate(files, { install })
})
afterAll(() => world.close())

/** Verifies a change of the base; null deletes a file. */
async function verifyChange(change: Readonly<Record<string, string | null>>, more: Partial<VerifierInput> = {}) {
  const commit = await world.commitChange(change)
  const { status, manifest, tail_log } = await world.ask({
    steps,
    purpose: 'change',
    commit,
    assurance: 'full',
    ...more,
  })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  return manifest
}

test('each hunk is taken back alone: what no test needs is listed with its file, its lines and its first line', async () => {
  const manifest = await verifyChange({
    'src/area.js': `${area
      .replace('// Squares.', '// The area of a square.')
      .replace("'side ' + side", '`side ${side}`')
      .replace('text.toUpperCase()', 'text.toLowerCase()')}${cube}`,
    'src/data.json': '[1]\n',
    'test/area.test.js': newTest + cubes,
  })
  expect(manifest?.hunks).toEqual({
    proven: 1,
    unproven: [{ file: 'src/area.js', start: 5, end: 5, text: '+  return `side ${side}`' }],
    not_tried: 0,
  })
  expect(manifest?.integrity).toEqual({
    findings: [expect.objectContaining({ kind: 'no_tests', file: 'src/area.js', line: 5 })],
    proof: { status: 'proven', failing: expect.anything() },
  })
})

test('a whole file that was added, removed or renamed is one hunk, and one that is only moved none', async () => {
  const manifest = await verifyChange({
    'src/area.js': `import { third } from './third.js'\n${area}export const cube = third\n`,
    'src/third.js': 'export const third = (side) => side ** 3\n',
    'src/empty.js': '',
    'src/fourth.js': 'export const fourth = (side) => side ** 4\n',
    'src/unused.js': null,
    'test/area.test.js': newTest + cubes,
  })
  expect(manifest?.hunks).toEqual({
    proven: 3,
    unproven: [
      { file: 'src/fourth.js', start: 1, end: 1, text: '+export const fourth = (side) => side ** 4' },
      { file: 'src/unused.js', start: 1, end: 1, text: '-export const unused = 1' },
    ],
    not_tried: 0,
  })
})

test('hunks beyond the limit are counted, and the largest are tried', async () => {
  const parts = Array.from({ length: 12 }, (_, i) => [
    `src/part-${i}.js`,
    `${Array.from({ length: 12 - i }, (_, line) => `export const part${line} = ${i}\n`).join('')}`,
  ])
  const manifest = await verifyChange(Object.fromEntries(parts))
  expect(manifest?.hunks?.unproven.map(({ file }) => file)).toEqual(parts.slice(0, 10).map(([path]) => path))
  expect([manifest?.hunks?.proven, manifest?.hunks?.not_tried]).toEqual([0, 2])
})

test('nothing runs twice for the same tree: a change of one hunk without tests is compared with the base itself', async () => {
  const manifest = await verifyChange({ 'src/area.js': area.replace("'side ' + side", '`side ${side}`') })
  expect(manifest?.hunks).toMatchObject({ proven: 0, unproven: [{ start: 5 }] })
  expect(() => world.read(manifest?.run_id ?? '', 'logs/hunk-01.log')).toThrow()
})

test('a step that fails for another reason, allowed by name, holds no hunk', async () => {
  const red = `test('known', () => assert.fail())\n`
  const base = world.commitOf({ 'test/area.test.js': files['test/area.test.js'] + red })
  const commit = world.commitOf({ 'src/area.js': `${area.replace("'side ' + side", '`side ${side}`')}${cube}` }, base)
  const asked = { steps, purpose: 'change', assurance: 'full', allowFailing: ['known'] } as const
  const { status, manifest } = await world.ask({ ...asked, base, commit })
  expect(status).toBe('PASS')
  expect(manifest?.hunks).toMatchObject({ proven: 0, unproven: [{ start: 5 }, { start: 11 }] })
})

test('a test that is known to be flaky holds no hunk', async () => {
  const sometimes = `import fs from 'node:fs'
import test from 'node:test'
import assert from 'node:assert'
const seen = process.env.ARTIFACT_DIR + '/tmp/seen'
test('sometimes', () => {
  const isAgain = fs.existsSync(seen)
  fs.writeFileSync(seen, '')
  assert.ok(isAgain)
})
`
  const base = world.commitOf({ 'test/sometimes.test.js': sometimes })
  const commit = world.commitOf({ 'src/area.js': area + cube }, base)
  const { status, manifest } = await world.ask({ steps, purpose: 'change', assurance: 'full', base, commit })
  expect([status, manifest?.flaky, manifest?.hunks]).toMatchObject([
    'PASS',
    ['sometimes'],
    { proven: 0, unproven: [{ start: 11 }] },
  ])
})

test('if the change has its own dependencies, which each tree would install again, hunks are only counted', async () => {
  const prepare = [{ command: 'install', inputs: ['package.json'] }]
  const change = { 'package.json': '{ "name": "areas", "type": "module" }\n', 'src/area.js': area + cube }
  const left = [{ file: 'src/area.js', start: 11, end: 11, text: cube.trimEnd().replace(/^/, '+') }]
  expect((await verifyChange(change, { prepare }))?.hunks).toEqual({ proven: 0, unproven: [], not_tried: 1, left })
})

test('a budget of nothing tries no hunk, and names each', async () => {
  const change = { 'src/area.js': area + cube }
  const { hunks } = (await verifyChange(change, { assuranceBudget: 0 })) ?? {}
  expect(hunks).toMatchObject({ proven: 0, unproven: [], not_tried: 1, left: [{ file: 'src/area.js', start: 11 }] })
})

test('only a change that asks for full assurance is tried hunk by hunk', async () => {
  const change = { 'src/area.js': area + cube }
  expect((await verifyChange(change, { assurance: 'standard' }))?.hunks).toBeUndefined()
  expect((await verifyChange(change, { purpose: 'merge' }))?.hunks).toBeUndefined()
})

test('with enough cores two trees run at once, each in its own checkout, with the same result', async () => {
  const change = {
    'src/area.js': area.replace("'side ' + side", '`side ${side}`') + cube,
    'test/area.test.js': newTest + cubes,
  }
  const alone = await verifyChange(change)
  world = makeMemoryGate(files)
  const { sandbox } = world
  const running = new Set<string>()
  const both = Promise.withResolvers<void>()
  const watched: Sandbox = {
    ...sandbox,
    async exec(spec, command, signal) {
      const checkout =
        spec.mounts.map((mount) => /checkouts\/([^/]+)/.exec(JSON.stringify(mount))?.[1]).find(Boolean) ?? ''
      running.add(checkout)
      if (running.size === 2) both.resolve()
      // The run ends only once another one runs beside it.
      if (checkout.endsWith('-beside-1')) await both.promise
      return sandbox.exec(spec, command, signal).finally(() => running.delete(checkout))
    },
  }
  const beside = await verifyChange(change, { sandbox: watched, atOnce: 2 })
  await both.promise
  const told = ({ hunks, hybrid, integrity }: NonNullable<typeof alone>) => ({ hunks, hybrid, integrity })
  expect(beside && told(beside)).toEqual(alone && told(alone))
  expect(beside?.hunks).toMatchObject({ proven: 1, unproven: [{ start: 5 }] })
})
