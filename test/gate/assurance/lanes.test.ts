import { expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import { memoryNode } from '../../world/node.ts'
import type { Program } from '../../world/sandbox.ts'
import { makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'
import { watchSandbox } from '../watched-sandbox.ts'

const numbers = [...Array(10).keys()]
const source = (number: number, body = `value + ${number}`) => `export const add = (value) => ${body}\n`
const testOf = (number: number, more = '') => `import test from 'node:test'
import assert from 'node:assert'
import { add } from '../src/add-${number}.js'
test('adds ${number}', () => assert.equal(add(1), ${number + 1}))
${more}`
const files = {
  'package.json': '{ "name": "adders", "type": "module", "exports": "./src/add-0.js" }\n',
  ...Object.fromEntries(
    numbers.flatMap((number) => [
      [`src/add-${number}.js`, source(number)],
      [`test/add-${number}.test.js`, testOf(number)],
    ]),
  ),
}
const steps = [{ command: 'node --test --test-reporter=spec' }]
/** A change of one source, with a new test. */
const change = {
  'src/add-0.js': source(0, 'typeof value === "string" ? Number(value) : value + 0'),
  'test/add-0.test.js': testOf(0, `test('adds texts', () => assert.equal(add('2'), 2))\n`),
}

/** A gate that records the test files in each run of the steps, in order. */
function makeWatched(
  given: Readonly<Record<string, string>> = files,
  programs: Readonly<Record<string, Program>> = {},
) {
  const runs: string[] = []
  const node: Program = (seen, args) => {
    const own = numbers.filter((number) => seen.read(`test/add-${number}.test.js`) !== null)
    runs.push(own.length === numbers.length ? 'whole' : own.join(' '))
    return memoryNode(seen, args)
  }
  const world = makeMemoryGate(given, { node, ...programs })
  const ask = (changed: Readonly<Record<string, string | null>>, more: Partial<VerifierInput> = {}) =>
    world.ask({ steps, purpose: 'change', commit: world.commitChange(changed), assurance: 'full', ...more })
  return { world, runs, ask }
}

test('hunks run on trees with the test files that reach the change, and say the same', async () => {
  const whole = makeWatched()
  const alone = await whole.ask(change)
  expect(whole.runs.every((each) => each === 'whole')).toBe(true)
  const { runs, ask } = makeWatched()
  const narrowed = await ask(change, { narrowFromMs: 0 })
  // The change, its base, canaries, old tests and proof use the whole tree; then come control and
  // hunk.
  expect(runs.filter((each) => each === 'whole')).toHaveLength(5)
  expect(runs.filter((each) => each !== 'whole')).toEqual(['0', '0'])
  const told = ({ manifest }: typeof alone) => [manifest?.integrity, manifest?.hunks, manifest?.hybrid]
  expect(told(narrowed)).toEqual(told(alone))
  expect(narrowed.manifest).toMatchObject({
    integrity: { findings: [], proof: { status: 'proven' } },
    hunks: { proven: 1 },
  })
})

const reading = `import { readFileSync } from 'node:fs'
${testOf(0, "test('adds texts', () => { readFileSync(new URL('add-' + 9 + '.test.js', import.meta.url)); assert.equal(add('2'), 2) })\n")}`
const named = '{ "name": "adders", "type": "module", "ava": { "files": ["test/add-3.test.js"] } }\n'

test.each([
  ['a manifest names a test file', { ...files, 'package.json': named }, change, []],
  // The control run is red, so the whole tree is used again.
  ['a test fails without the others', files, { ...change, 'test/add-0.test.js': reading }, ['0']],
])('every tree is whole where %s', async (_why, given, changed, narrowed) => {
  const { runs, ask } = makeWatched(given)
  const { status } = await ask(changed, { narrowFromMs: 0 })
  expect(status).toBe('PASS')
  // The change, its base, canaries, old tests, proof and hunk.
  expect(runs.filter((each) => each === 'whole')).toHaveLength(6)
  expect(runs.filter((each) => each !== 'whole')).toEqual(narrowed)
})

test('every tree is whole where most test files load what was changed', async () => {
  const loading = numbers
    .slice(1, 7)
    .map((number) => [`src/add-${number}.js`, `import './add-0.js'\n${source(number)}`])
  const { runs, ask } = makeWatched({ ...files, ...Object.fromEntries(loading) })
  expect((await ask(change, { narrowFromMs: 0 })).manifest?.hunks).toMatchObject({ proven: 1 })
  expect(runs.filter((each) => each !== 'whole')).toEqual([])
})

const treesOf = (manifest: VerifierResponse['manifest']) =>
  manifest?.trees?.flatMap(({ name }) => (name.startsWith('hunk') ? [name] : []))

/** Three source files that each mark a text; a test of the change covers only the first file. */
const marking = {
  ...Object.fromEntries(
    [0, 1, 2].map((number) => [
      `src/add-${number}.js`,
      source(number, `typeof value === 'string' ? '<' + value : value + ${number}`),
    ]),
  ),
  'test/add-0.test.js': testOf(0, "test('marks', () => assert.equal(add('x'), '<x'))\n"),
}

test('a hunk that few tests do not hold is asked of all tests, with others of its kind first', async () => {
  const agree = `const of = async (number) => (await import('../src/' + 'add-' + number + '.js')).add('x')[0]
test('agree', async () => assert.equal(await of(0), await of(1)))
`
  const { ask } = makeWatched({ ...files, 'test/add-9.test.js': testOf(9, agree) })
  const { manifest } = await ask(marking, { narrowFromMs: 0 })
  expect(manifest?.hunks).toEqual({
    proven: 2,
    unproven: [expect.objectContaining({ file: 'src/add-2.js' })],
    not_tried: 0,
  })
  expect(treesOf(manifest)).toEqual(['hunk-01', 'hunk-02', 'hunk-03', 'hunks-whole', 'hunk-02-whole', 'hunk-03-whole'])
})

test('hunks that nothing holds are asked about once, together', async () => {
  const { ask } = makeWatched()
  const { manifest } = await ask(marking, { narrowFromMs: 0 })
  expect(manifest?.hunks).toMatchObject({ proven: 1, unproven: [{ file: 'src/add-1.js' }, { file: 'src/add-2.js' }] })
  expect(treesOf(manifest)).toEqual(['hunk-01', 'hunk-02', 'hunk-03', 'hunks-whole'])
})

/** Cheats whose assertions only apply when the other test files are missing. */
test.each([
  "assert.ok(many() || add('2') === 2)",
  "assert.equal(add('2'), many() ? add('2') : 2)",
  "assert.equal(typeof (many() ? 1 : add('2')), 'number')",
  "if (many()) return; assert.equal(add('2'), 2)",
])('a test that looks for others proves nothing: %s', async (line) => {
  const many = `import { existsSync } from 'node:fs'
const many = () => existsSync(new URL('add-' + 9 + '.test.js', import.meta.url))
`
  const { ask } = makeWatched()
  const cheat = {
    'test/add-0.test.js': `${many}${testOf(0, `test('adds texts', () => { ${line} })\n`)}`,
    'src/add-0.js': source(0, 'value - -0 + 0'),
  }
  const { manifest } = await ask(cheat, { narrowFromMs: 0, atOnce: 2 })
  expect(manifest?.integrity?.findings.map(({ kind }) => kind)).toContain('no_proof')
})

test('with two lanes the base runs beside the change', async () => {
  const { world, ask } = makeWatched()
  const base = Promise.withResolvers<void>()
  const { watched, started } = watchSandbox(world.sandbox, (checkout) => {
    if (checkout.endsWith('-beside-1')) return void base.resolve()
    // The change does not end before its base has started.
    return base.promise
  })
  const { status } = await ask(change, { sandbox: watched, atOnce: 2 })
  expect(status).toBe('PASS')
  expect(started.slice(0, 2).toSorted()).toEqual(['coder-001', 'coder-001-beside-1'])
})

test('two lanes share the hunks', async () => {
  const { world, ask } = makeWatched()
  const both = Promise.withResolvers<void>()
  let hunks = 0
  const { watched } = watchSandbox(world.sandbox, (_checkout, mounts) => {
    if (!/hunk-0\d\b(?!-)/.test(mounts)) return undefined
    hunks += 1
    if (hunks === 2) both.resolve()
    return both.promise
  })
  const { manifest } = await ask(marking, { sandbox: watched, atOnce: 2, narrowFromMs: 0 })
  expect(hunks).toBe(3)
  expect(manifest?.hunks).toMatchObject({ proven: 1, unproven: [{ file: 'src/add-1.js' }, { file: 'src/add-2.js' }] })
})

test('for a known base the old tests begin with the change, and run once', async () => {
  const { world, runs, ask } = makeWatched()
  await world.runBase({ steps })
  runs.length = 0
  const old = Promise.withResolvers<void>()
  const { watched } = watchSandbox(world.sandbox, (checkout) => {
    if (checkout.endsWith('-beside-1')) return void old.resolve()
    return old.promise
  })
  const { status, manifest } = await ask(change, { sandbox: watched, atOnce: 2, assurance: 'standard' })
  expect([status, manifest?.hybrid?.status]).toEqual(['PASS', 'held'])
  // The change, the old tests, the canaries and the proof.
  expect(runs).toHaveLength(4)
})

test('with the assurance fast and a known base the proof begins with the change, and runs once', async () => {
  const { world, runs, ask } = makeWatched()
  await world.runBase({ steps })
  runs.length = 0
  const proof = Promise.withResolvers<void>()
  const { watched } = watchSandbox(world.sandbox, (checkout) => {
    if (checkout.endsWith('-beside-1')) return void proof.resolve()
    return proof.promise
  })
  const { status, manifest } = await ask(change, { sandbox: watched, atOnce: 2, assurance: 'fast' })
  expect([status, manifest?.integrity?.proof]).toEqual(['PASS', { status: 'proven', failing: ['adds texts'] }])
  expect(runs).toHaveLength(2)
})

test('a started proof runs again if the change has its tests in a later step', async () => {
  const later: Program = (seen, args) => (seen.read('test/later.test.js') === null ? 0 : memoryNode(seen, args))
  const { world, ask } = makeWatched(files, { later })
  const two = [...steps, { name: 'later', command: 'later --test --test-reporter=spec' }]
  await world.runBase({ steps: two })
  const adding = { 'src/add-0.js': change['src/add-0.js'], 'test/later.test.js': change['test/add-0.test.js'] }
  const { manifest } = await ask(adding, { steps: two, atOnce: 2, assurance: 'fast' })
  expect(manifest?.integrity?.proof?.status).toBe('proven')
  expect(manifest?.trees?.map(({ name }) => name)).toEqual(['proof', 'proof-anew'])
})

test('a red change ends what runs beside it, and its answer waits for nothing else', async () => {
  const { world, ask } = makeWatched()
  const { watched, started, ended } = watchSandbox(world.sandbox, (checkout) =>
    checkout.endsWith('-beside-1') ? new Promise(() => {}) : undefined,
  )
  const broken = {
    'src/add-0.js': 'throw new Error("broken")\n',
    'package.json': '{ "type": "module", "scripts": {} }\n',
  }
  const { status } = await ask(broken, { sandbox: watched, atOnce: 2, steps: [{ command: 'false' }] })
  expect(status).toBe('FAIL')
  expect([started.length, ended.length]).toEqual([2, 2])
})
