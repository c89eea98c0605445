import { expect, test } from 'vitest'
import type { Sandbox } from '../../../src/ports/sandbox.ts'
import { memoryNode } from '../../world/node.ts'
import type { Program } from '../../world/sandbox.ts'
import { makeMemoryGate } from '../memory-gate.ts'
import type { Asked } from '../verifier-world.ts'

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

/** A gate that tells which test files each run of the steps has found, in order. */
function makeWatched(given: Readonly<Record<string, string>> = files) {
  const runs: string[] = []
  const node: Program = (seen, args) => {
    const own = numbers.filter((number) => seen.read(`test/add-${number}.test.js`) !== null)
    runs.push(own.length === numbers.length ? 'whole' : own.join(' '))
    return memoryNode(seen, args)
  }
  const world = makeMemoryGate(given, { node })
  const ask = (changed: Readonly<Record<string, string | null>>, more: Partial<Asked> = {}) =>
    world.ask({ steps, purpose: 'change', commit: world.commitChange(changed), assurance: 'full', ...more })
  return { world, runs, ask }
}

test('the proof and the hunks run on trees with the test files that reach the change, and say the same', async () => {
  const whole = makeWatched()
  const alone = await whole.ask(change)
  expect(whole.runs.every((each) => each === 'whole')).toBe(true)
  const { runs, ask } = makeWatched()
  const narrowed = await ask(change, { narrowFromMs: 0 })
  // The change, its base, canaries and old tests are whole; then control, proof and hunk.
  expect(runs.filter((each) => each === 'whole')).toHaveLength(4)
  expect(runs.filter((each) => each !== 'whole')).toEqual(['0', '0', '0'])
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
  // The control is red.
  ['a test fails without the others', files, { ...change, 'test/add-0.test.js': reading }, ['0']],
])('every tree is whole where %s', async (_why, given, changed, narrowed) => {
  const { runs, ask } = makeWatched(given)
  const { status } = await ask(changed, { narrowFromMs: 0 })
  expect(status).toBe('PASS')
  // The change, its base, canaries, old tests, proof and hunk.
  expect(runs.filter((each) => each === 'whole')).toHaveLength(6)
  expect(runs.filter((each) => each !== 'whole')).toEqual(narrowed)
})

test('where most test files load what was changed only the proof needs few of them', async () => {
  const loading = numbers
    .slice(1, 7)
    .map((number) => [`src/add-${number}.js`, `import './add-0.js'\n${source(number)}`])
  const { runs, ask } = makeWatched({ ...files, ...Object.fromEntries(loading) })
  const { manifest } = await ask(change, { narrowFromMs: 0 })
  expect(manifest).toMatchObject({ integrity: { proof: { status: 'proven' } }, hunks: { proven: 1 } })
  expect(runs.filter((each) => each !== 'whole')).toEqual(['0', '0'])
})

test('a new test that passes without the change is found on the whole tree', async () => {
  const { runs, ask } = makeWatched()
  const added = { ...change, 'test/add-0.test.js': testOf(0, `test('adds two', () => assert.equal(add(2), 2))\n`) }
  const { manifest } = await ask(added, { narrowFromMs: 0 })
  expect(manifest?.integrity?.findings.map(({ kind }) => kind)).toContain('no_proof')
  expect(runs.filter((each) => each === 'whole')).toHaveLength(5)
})

/** A sandbox that tells which checkouts are in use, and holds a run until it may go on. */
function watch(sandbox: Sandbox, held: (checkout: string) => Promise<unknown> | undefined) {
  const started: string[] = []
  const ended: string[] = []
  const watched: Sandbox = {
    ...sandbox,
    async exec(spec, command, signal) {
      const places = spec.mounts.map((mount) => /checkouts\/([^/"]+)/.exec(JSON.stringify(mount))?.[1])
      const checkout = places.find(Boolean) ?? ''
      started.push(checkout)
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await Promise.race([held(checkout), aborted])
      return sandbox.exec(spec, command, signal).finally(() => ended.push(checkout))
    },
  }
  return { watched, started, ended }
}

test('with two lanes the base runs beside the change', async () => {
  const { world, ask } = makeWatched()
  const base = Promise.withResolvers<void>()
  const { watched, started } = watch(world.sandbox, (checkout) => {
    if (checkout.endsWith('-beside-1')) return void base.resolve()
    // The change does not end before its base has begun.
    return base.promise
  })
  const { status } = await ask(change, { sandbox: watched, atOnce: 2 })
  expect(status).toBe('PASS')
  expect(started.slice(0, 2).toSorted()).toEqual(['coder-001', 'coder-001-beside-1'])
})

test('for a known base the old tests begin with the change, and run once', async () => {
  const { world, runs, ask } = makeWatched()
  await world.runBase({ steps })
  runs.length = 0
  const old = Promise.withResolvers<void>()
  const { watched } = watch(world.sandbox, (checkout) => {
    if (checkout.endsWith('-beside-1')) return void old.resolve()
    return old.promise
  })
  const { status, manifest } = await ask(change, { sandbox: watched, atOnce: 2, assurance: 'standard' })
  expect([status, manifest?.hybrid?.status]).toEqual(['PASS', 'held'])
  // The change, the old tests, the canaries and the proof.
  expect(runs).toHaveLength(4)
})

test('a red change ends what runs beside it, and its answer waits for nothing else', async () => {
  const { world, ask } = makeWatched()
  const { watched, started, ended } = watch(world.sandbox, (checkout) =>
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
