import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryNode } from '../../world/node.ts'
import type { Program } from '../../world/sandbox.ts'
import { type MemoryGate, makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'

const head = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { area } from '../src/area.js'\n`
const squares = `test('squares', () => { assert.equal(area(2), 4) })\n`
const large = `test('large ones', () => { assert.equal(area(10), 100) })\n`
const source = 'export const area = (side) => side * side\n'
const wrong = 'export const area = (side) => side * 2\n'
const files = {
  'package.json': '{ "name": "area", "type": "module" }\n',
  'src/area.js': source,
  'test/area.test.js': head + squares + large,
  'test/data/sides.json': '[3, 9]\n',
  'test/data.test.js': `${head}import { readFileSync } from 'node:fs'
test('data', () => { const [side, expected] = JSON.parse(readFileSync('test/data/sides.json')); assert.equal(area(side), expected) })\n`,
}

const mute: Program = async (seen) => {
  const ran = await memoryNode(seen, ['--test'])
  return typeof ran === 'number' ? ran : (ran.exitCode ?? 1)
}

let world: MemoryGate
beforeAll(async () => {
  world = makeMemoryGate(files, { mute })
})
afterAll(() => world.close())

/** Verifies a change of the base; null deletes a file. */
async function verifyChange(change: Readonly<Record<string, string | null>>, more: Partial<VerifierInput> = {}) {
  const commit = await world.commitChange(change)
  const steps = [{ command: 'node --test --test-reporter=spec' }]
  const { status, manifest, tail_log } = await world.ask({ steps, purpose: 'change', commit, ...more })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  const findings = manifest?.integrity?.findings ?? []
  return { manifest, hybrid: manifest?.hybrid, kinds: findings.map(({ kind }) => kind), findings }
}

test('an expectation that is rewritten for what the change breaks is told by the test’s name', async () => {
  const changed = { 'src/area.js': wrong, 'test/area.test.js': head + squares + large.replace('100', '20') }
  const { hybrid, findings, manifest } = await verifyChange({ ...changed, 'test/data/sides.json': '[3, 6]\n' })
  const ids = ['large ones', 'data']
  expect(hybrid).toEqual({ status: 'behaviour_changed', failing: expect.arrayContaining(ids) })
  expect(findings).toMatchObject([{ kind: 'behaviour_changed', severity: 'major' }])
  expect(findings[0]?.claim).toBe(
    'With the tests and the configuration of the base commit, the new sources fail 2 of 3 tests that passed before.',
  )
  for (const id of ids) expect(findings[0]?.evidence).toContain(id)
  expect(manifest?.files).toEqual([
    { path: 'src/area.js', is: 'source' },
    { path: 'test/area.test.js', is: 'test' },
    { path: 'test/data/sides.json', is: 'fixture' },
  ])
  expect(findings[0]?.evidence).toMatch(/large ones: .*20 == 100/)
  const log = world.read(manifest?.run_id ?? '', 'logs/hybrid.log')
  expect(log).toContain('20 == 100')
})

test.each([
  ['returns early', large.replace('=> {', '=> { return;'), ['deaf_test']],
  ['swallows its error', `test('large ones', () => { try { assert.equal(area(10), 100) } catch {} })\n`, ['deaf_test']],
  ['asserts under a condition', large.replace('assert.', 'if (area(10) === 100) assert.'), []],
])('a test that %s hides nothing', async (_what, changed, more) => {
  const { kinds } = await verifyChange({
    'src/area.js': wrong,
    'test/area.test.js': head + squares + changed,
    'test/data/sides.json': '[3, 6]\n',
  })
  expect(kinds).toEqual([...more, 'behaviour_changed'])
})

test('an acceptance covers exactly this change: its findings have the same ids again, and other content has others', async () => {
  const change = (value: string) => ({
    'src/area.js': wrong,
    'test/area.test.js': head + squares + large.replace('100', value),
    'test/data/sides.json': '[3, 6]\n',
  })
  const ids = async (value: string) => (await verifyChange(change(value))).findings.map(({ id }) => id)
  const first = await ids('20')
  expect(await ids('20')).toEqual(first)
  expect(await ids('10 * 2')).not.toEqual(first)
})

test('honest work is held: a refactoring, a tidied test, a new function', async () => {
  const { hybrid, kinds } = await verifyChange({
    'src/area.js': `${source.replace('side * side', 'side ** 2')}export const cube = (side) => side ** 3\n`,
    'test/area.test.js': `${head.replace('area }', 'area, cube }')}${squares}${large}test('cubes', () => { assert.equal(cube(2), 8) })\n`,
  })
  expect([hybrid, kinds]).toEqual([{ status: 'held', failing: [] }, []])
})

test('sources alone need no second run', async () => {
  const { hybrid, kinds } = await verifyChange({ 'src/area.js': source.replace('side * side', 'side ** 2') })
  expect([hybrid?.status, kinds]).toEqual(['not_tried', []])
})

test('old tests that cannot run on the new sources are told to be that', async () => {
  const renamed = (text: string) => text.replaceAll('area(', 'surface(').replaceAll('area }', 'surface }')
  const { hybrid, findings } = await verifyChange({
    'src/area.js': source.replace('area', 'surface'),
    'test/area.test.js': renamed(head + squares + large),
    'test/data.test.js': renamed(files['test/data.test.js']),
  })
  expect(hybrid?.status).toBe('not_built')
  expect(findings.map(({ kind, claim }) => [kind, claim])).toEqual([
    [
      'behaviour_changed',
      'The tests of the base commit cannot run on the new sources: none of the 3 that passed before did.',
    ],
  ])
})

test('a removed feature is told once, as the tests that are gone', async () => {
  const { kinds } = await verifyChange({
    'src/area.js': `${source}export const old = 1\n`.replace('export const old = 1\n', ''),
    'test/data.test.js': null,
    'test/data/sides.json': null,
    'src/more.js': 'export const more = 1\n',
  })
  expect(kinds).toEqual(['tests_removed'])
})

test('if no runner lists a test, the step counts as lost', async () => {
  const steps = [{ command: 'mute' }]
  const change = { 'src/area.js': wrong, 'test/area.test.js': head + squares, 'test/data/sides.json': '[3, 6]\n' }
  const { hybrid } = await verifyChange(change, { steps })
  expect(hybrid).toEqual({ status: 'behaviour_changed', failing: ['step test'] })
})

test('fast assurance runs the steps alone', async () => {
  const { hybrid } = await verifyChange(
    { 'src/area.js': wrong, 'test/area.test.js': head + squares, 'test/data/sides.json': '[3, 6]\n' },
    { assurance: 'fast' },
  )
  expect(hybrid).toBeUndefined()
})

const oldTests = files['test/area.test.js']
const tidied = {
  'src/area.js': source.replace('side * side', 'side ** 2'),
  'test/area.test.js': `${oldTests}// tidied\n`,
}

test('an old test that fails on the new sources only once is flaky, and told nothing of', async () => {
  let isFirst = true
  const once: Program = async (seen) => {
    const isHybrid = seen.read('src/area.js') === tidied['src/area.js'] && seen.read('test/area.test.js') === oldTests
    if (!isHybrid || !isFirst) return memoryNode(seen, ['--test'])
    isFirst = false
    return { exitCode: 1, output: 'TAP version 13\nok 1 - squares\nnot ok 2 - large ones\nok 3 - data\n1..3\n' }
  }
  world = makeMemoryGate(files, { once })
  const { hybrid, kinds } = await verifyChange(tidied, { steps: [{ command: 'once' }] })
  expect([isFirst, hybrid, kinds]).toEqual([false, { status: 'held', failing: [] }, []])
})

test('new sources are tried with what the change installs for them', async () => {
  const needing: Program = (seen) => {
    const needs = seen.read('src/area.js')?.includes('left') ?? false
    return needs && !seen.read('package.json')?.includes('left')
      ? { exitCode: 1, output: 'TAP version 13\nnot ok 1 - squares\n1..1\n' }
      : memoryNode(seen, ['--test'])
  }
  world = makeMemoryGate(files, { needing })
  const manifest = '{ "name": "area", "type": "module", "dependencies": { "left": "1.0.0" } }\n'
  const change = { ...tidied, 'src/area.js': `// left\n${tidied['src/area.js']}`, 'package.json': manifest }
  const { hybrid, kinds } = await verifyChange(change, { steps: [{ command: 'needing' }] })
  expect([hybrid, kinds]).toEqual([{ status: 'held', failing: [], with_dependencies: true }, []])
})

test('a red test that turns green by its data is told with the file, others’ data is not', async () => {
  const two = {
    ...files,
    'cases/one.json': '[3, 9]\n',
    'cases/two.json': '[2, 5]\n',
    'test/cases.test.js': `${head}import { readFileSync } from 'node:fs'
for (const name of ['one', 'two'])
  test(name, () => { const [side, expected] = JSON.parse(readFileSync(\`cases/\${name}.json\`)); assert.equal(area(side), expected) })
`,
  }
  world = makeMemoryGate(two)
  const { findings, manifest } = await verifyChange({
    'src/area.js': source.replace('side * side', 'side ** 2'),
    'cases/one.json': '[4, 16]\n',
    'cases/two.json': '[2, 4]\n',
  })
  expect(findings.map(({ kind, file }) => [kind, file])).toEqual([['expectation_changed', 'cases/two.json']])
  expect(findings[0]?.evidence).toMatch(/two.*fail:\n- cases\/two\.json\n/s)
  expect([manifest?.roles, manifest?.files?.map(({ is }) => is)]).toEqual(['by use', ['fixture', 'fixture', 'source']])
})
