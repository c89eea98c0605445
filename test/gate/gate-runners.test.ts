import { beforeAll, describe, expect, test } from 'vitest'
import { memoryNode } from '../world/node.ts'
import type { Program } from '../world/sandbox.ts'
import { type MemoryGate, makeMemoryGate } from './memory-gate.ts'
import type { VerifierInput } from './verifier-world.ts'

let world: MemoryGate
const worldOf = (...given: Parameters<typeof makeMemoryGate>) => {
  beforeAll(() => {
    world = makeMemoryGate(...given)
  })
}

/** Verifies a change of the base; null deletes a file. */
async function verifyChange(
  change: Readonly<Record<string, string | null>>,
  more: Omit<Partial<VerifierInput>, 'commit'>,
) {
  const commit = await world.commitChange(change)
  const { status, tail_log, manifest } = await world.ask({ steps: [], purpose: 'change', ...more, commit })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  return manifest
}

const kindsOf = (manifest: Awaited<ReturnType<typeof verifyChange>>) =>
  manifest?.integrity?.findings.map(({ kind, file, claim }) => `${kind} ${file}: ${claim}`)

const node = `import test from 'node:test'\nimport assert from 'node:assert'\n`

describe('a test file that could not be loaded on the base', () => {
  worldOf({
    'package.json': '{ "type": "module" }\n',
    'test/calm.test.js': `${node}test('is calm', () => assert.ok(1 + 1 === 2))\n`,
    'test/loud.test.js': `${node}import { loud } from '../src/loud.js'\ntest('is loud', () => assert.equal(loud('a'), 'A'))\n`,
  })

  test('may become any tests without a finding', async () => {
    const sources = { 'src/loud.js': 'export const loud = (text) => text.toUpperCase()\n' }
    const manifest = await verifyChange(sources, { steps: [{ command: 'node --test' }] })
    expect(manifest?.base?.status).toBe('FAIL')
    expect(kindsOf(manifest)).toEqual([])
    expect(manifest?.integrity?.proof).toEqual({ status: 'not_applicable', reason: 'no test was added or changed' })
  })
})

describe('where no runner names tests', () => {
  const tests = (...names: readonly string[]) =>
    `import assert from 'node:assert'\nconst test = (_, f) => f()\n${names.map((name) => `test('${name}', () => assert.ok(process.pid > 0))\n`).join('')}`
  worldOf({ 'package.json': '{ "type": "module" }\n', 'test/a.js': tests('one', 'two'), 'src/a.js': '// a\n' })
  const steps = [{ command: 'node test/a.js' }]

  test('those that a file declares may not become fewer', async () => {
    const asserting = `${tests('one')}assert.ok(process.ppid > 0)\n`
    const manifest = await verifyChange({ 'test/a.js': asserting, 'src/a.js': '// b\n' }, { steps, refactor: true })
    expect(kindsOf(manifest)).toEqual([
      'tests_removed test/a.js: test/a.js declares 1 test instead of 2, and no runner names those that run.',
    ])
  })

  test('one that is new may skip itself, and one that is old may not', async () => {
    const skipping = `${tests('one', 'two')}if (process.env.NEVER) it.skip('three', () => assert.ok(1))\n`
    expect(kindsOf(await verifyChange({ 'test/a.js': skipping }, { steps, refactor: true }))).toEqual([])
    const old = `${tests('one', 'two')}if (process.env.NEVER) it.skip('two', () => assert.ok(1))\n`
    expect(kindsOf(await verifyChange({ 'test/a.js': old }, { steps, refactor: true }))).toEqual([
      'tests_skipped test/a.js: test/a.js skips tests in 1 places instead of 0.',
    ])
  })

  test('an example’s own configuration is not the gate’s, unless the project names its folder', async () => {
    const examples = {
      'examples/app/jest.config.js': 'module.exports = {}\n',
      'docs/package.json': '{ "scripts": { "test": "true" } }\n',
    }
    expect(kindsOf(await verifyChange(examples, { steps, refactor: true }))).toEqual([])
    const named = [{ command: 'node test/a.js && echo examples' }]
    expect(kindsOf(await verifyChange(examples, { steps: named, refactor: true }))).toEqual([
      expect.stringMatching(/^configuration examples\/app\/jest\.config\.js/),
    ])
  })
})

describe('the proof of tests that a step before has built', () => {
  const build = { name: 'build', command: 'build' }
  const inDist = (path: string) => path.replace(/^src\//, 'dist/')
  const copy: Program = (seen) => {
    for (const path of seen.paths) if (path.startsWith('src/')) seen.write(inDist(path), seen.read(path) ?? '')
    return 0
  }
  const mute: Program = async (seen) => {
    const ran = await memoryNode(seen, ['--test', 'src/'])
    return typeof ran === 'number' ? ran : (ran.exitCode ?? 1)
  }
  const always = `${node}test('is fine', () => assert.equal(1 + 1, 2))\n`
  worldOf(
    {
      'package.json': '{ "type": "module" }\n',
      'src/add.js': 'export const add = (a, b) => a + b\n',
      'src/add.test.js': `${node}import { add } from './add.js'\ntest('adds', () => assert.equal(add(1, 2), 3))\n`,
    },
    { build: copy, built: (seen) => memoryNode({ ...seen, paths: seen.paths.map(inDist) }, ['--test', 'dist/']), mute },
  )
  const nodeSteps = { writes: 'overlay' as const, steps: [build, { command: 'built' }] }
  const proofOf = async (...asked: Parameters<typeof verifyChange>) => (await verifyChange(...asked))?.integrity?.proof

  test('is none when they pass without the change, in JavaScript', async () => {
    const change = { 'src/add.js': 'export const add = (a, b) => a + b // faster\n', 'src/fine.test.js': always }
    expect(await proofOf(change, nodeSteps)).toEqual({ status: 'not_proven', passing: ['is fine'] })
  })

  test('names those that fail without it, in JavaScript', async () => {
    const twice = `${node}import * as all from './add.js'\ntest('doubles', () => assert.equal(all.twice(2), 4))\n`
    const source = 'export const add = (a, b) => a + b\nexport const twice = (a) => add(a, a)\n'
    const proof = await proofOf({ 'src/add.js': source, 'src/twice.test.js': twice }, nodeSteps)
    expect(proof).toEqual({ status: 'proven', failing: ['doubles'] })
  })

  test('is not a step that fails for another reason', async () => {
    const mute = { steps: [{ command: 'mute' }] }
    const change = {
      'src/add.js': 'export const add = (a, b) => a + b\nexport const one = 1\n',
      'src/fine.test.js': `import { one } from './add.js'\nif (one !== 1) throw new Error('no')\n`,
    }
    expect(await proofOf(change, mute)).toEqual({
      status: 'not_applicable',
      reason: 'a step fails without the change, but names no failing test',
    })
  })
})

describe('a program of tests that a step runs', () => {
  const unit = (...names: readonly string[]) =>
    `${names.map((name) => `test${name}() {\n  assertEquals 3 "$(./add.sh ${name})"\n}\n`).join('\n')}\n. ./shunit2\n`
  const plain = '[ "$(./add.sh 1)" = 1 ] || exit 1\n'
  const bats = (name: string) => `@test "${name}" {\n  [ "$(./add.sh 1)" = 1 ]\n}\n`
  const python = (name: string) => `def test_${name}():\n    if add() != 3:\n        raise SystemExit(1)\n\n\n`
  const script = 'set -e\nsh add_test.sh\n'
  worldOf(
    {
      'shunit2_general_test.sh': unit('One'),
      'add_test.sh': plain,
      'test/add.bats': bats('one'),
      'tests/run.py': python('one'),
      'test.sh': script,
      'scripts/test.sh': 'test_unit() {\n  [ -d out ]\n  sh add_test.sh\n}\ntest_unit\n',
    },
    { bats: () => 0, python3: () => 0 },
  )
  const steps = [
    'sh shunit2_general_test.sh',
    'sh add_test.sh',
    'bats test/add.bats',
    'python3 tests/run.py',
    'sh test.sh',
    'sh scripts/test.sh',
  ].map((command, i) => ({ name: `step-${i}`, command }))
  const configured = async (change: Readonly<Record<string, string>>) => {
    const manifest = await verifyChange(change, { steps, refactor: true })
    return manifest?.integrity?.findings.flatMap(({ kind, file }) => (kind === 'configuration' ? [file] : []))
  }

  test.each([
    ['shunit2_general_test.sh', unit('One', 'Two')],
    ['add_test.sh', `${plain}[ "$(./add.sh 2)" = 2 ] || exit 1\n`],
    ['test/add.bats', bats('one') + bats('two')],
    ['tests/run.py', python('one') + python('two')],
  ])('is a test file: a test may be added to %s', async (path, text) => {
    expect(await configured({ [path]: text })).toEqual([])
  })

  test.each([
    ['shunit2_general_test.sh', 'sh add_test.sh\n'],
    ['add_test.sh', `exit 0\n${plain}`],
    ['add_test.sh', 'sh shunit2_general_test.sh\n'],
    ['tests/run.py', 'import os\n\nos.system("true")\n'],
    ['test.sh', `${script}true\n`],
    ['scripts/test.sh', 'test_unit() {\n  [ -d out ]\n  true\n}\ntest_unit\n'],
  ])('is a finding where it becomes, or is, a script that runs tests: %s', async (path, text) => {
    expect(await configured({ [path]: text })).toEqual([path])
  })
})
