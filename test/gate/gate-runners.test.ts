import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asked, makeVerifierWorld, type VerifierWorld } from './verifier-world.ts'

let world: VerifierWorld
const worldOf = (files: Readonly<Record<string, string>>) => {
  beforeAll(async () => {
    world = await makeVerifierWorld(files)
  })
  afterAll(() => world.close())
}

/** Verifies a change of the base; a file that is null is deleted. */
async function verifyChange(change: Readonly<Record<string, string | null>>, more: Omit<Partial<Asked>, 'commit'>) {
  const commit = await world.commitChange(change)
  const { status, tail_log, manifest } = await world.ask({ steps: [], purpose: 'change', ...more, commit })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  return manifest
}

const kindsOf = (manifest: Awaited<ReturnType<typeof verifyChange>>) =>
  manifest?.integrity?.findings.map(({ kind, file, claim }) => `${kind} ${file}: ${claim}`)

const isThere = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0
const python = '/usr/bin/python3'
const hasPytest = isThere(python, '-m', 'pytest', '--version')
const hasGo = isThere('go', 'version')

const node = `import test from 'node:test'\nimport assert from 'node:assert'\n`
const junit = 'logs/junit.xml'

// Each has a world of its own, whose time is bounded.
describe.each(['node', 'py|unit', 'go'])('tests that could not be loaded on the base: %s', (group) => {
  const goTest = (name: string, body: string) => `package ${name}\n\nimport "testing"\n\n${body}\n`
  worldOf({
    'package.json': '{ "type": "module" }\n',
    'test/calm.test.js': `${node}test('is calm', () => assert.ok(1 + 1 === 2))\n`,
    'test/loud.test.js': `${node}import { loud } from '../src/loud.js'\ntest('is loud', () => assert.equal(loud('a'), 'A'))\n`,
    'py/test_calm.py': 'def test_calm():\n    assert 1 + 1 == 2\n',
    'py/test_loud.py':
      'import unittest\nfrom loud import loud\n\n\nclass Loud(unittest.TestCase):\n    def test_loud(self):\n        self.assertEqual(loud("a"), "A")\n',
    'go/go.mod': 'module example.com/m\n\ngo 1.19\n',
    'go/calm/calm_test.go': goTest('calm', 'func TestCalm(t *testing.T) {\n\tif 1+1 != 2 {\n\t\tt.Error("no")\n\t}\n}'),
    'go/loud/loud_test.go': goTest(
      'loud',
      'func TestLoud(t *testing.T) {\n\tif Loud("a") != "A" {\n\t\tt.Error("no")\n\t}\n}',
    ),
  })
  const sources = {
    'src/loud.js': 'export const loud = (text) => text.toUpperCase()\n',
    'py/loud.py': 'def loud(text):\n    return text.upper()\n',
    'go/loud/loud.go':
      'package loud\n\nimport "strings"\n\nfunc Loud(text string) string { return strings.ToUpper(text) }\n',
  }

  const runners: readonly (readonly [string, string, string | null, boolean])[] = [
    ['node:test, spec', 'node --test --test-reporter=spec', null, true],
    ['node:test, TAP', 'node --test --test-reporter=tap', null, true],
    [
      'node:test, JUnit',
      `node --test --test-reporter=junit --test-reporter-destination="$ARTIFACT_DIR/${junit}"`,
      junit,
      true,
    ],
    ['pytest, JUnit', `cd py && ${python} -m pytest --junitxml="$ARTIFACT_DIR/${junit}"`, junit, hasPytest],
    ['pytest', `cd py && ${python} -m pytest`, null, hasPytest],
    ['pytest -v', `cd py && ${python} -m pytest -v`, null, hasPytest],
    ['unittest', `cd py && ${python} -m unittest`, null, isThere(python, '--version')],
    ['go test', 'cd go && go test ./...', null, hasGo],
    ['go test -v', 'cd go && go test -v ./...', null, hasGo],
    ['go test -json', 'cd go && go test -json ./...', null, hasGo],
  ]
  const own = runners.filter(([what]) => new RegExp(`^(?:${group})`).test(what))

  test.each(own)('may become any tests without a finding: %s', async (_what, command, file, isInstalled) => {
    if (!isInstalled) return
    const manifest = await verifyChange(sources, { steps: [{ command, junit: file, timeoutSec: 60 }] })
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
    const named = [{ command: 'node test/a.js && ls examples' }]
    expect(kindsOf(await verifyChange(examples, { steps: named, refactor: true }))).toEqual([
      expect.stringMatching(/^configuration examples\/app\/jest\.config\.js/),
    ])
  })
})

describe('the proof of tests that a step before has built', () => {
  const build = { name: 'build', command: 'rm -rf dist && cp -r src dist' }
  const always = `${node}test('is fine', () => assert.equal(1 + 1, 2))\n`
  worldOf({
    'package.json': '{ "type": "module" }\n',
    'src/add.js': 'export const add = (a, b) => a + b\n',
    'src/add.test.js': `${node}import { add } from './add.js'\ntest('adds', () => assert.equal(add(1, 2), 3))\n`,
    'CMakeLists.txt':
      'cmake_minimum_required(VERSION 3.13)\nproject(sum C)\nenable_testing()\nadd_executable(sum_test tests/sum_test.c sum.c)\nadd_test(NAME sum_test COMMAND sum_test)\n',
    'sum.h': 'int sum(int a, int b);\n',
    'sum.c': '#include "sum.h"\nint sum(int a, int b) { return a + b; }\n',
    'tests/sum_test.c': '#include "../sum.h"\nint main(void) { return sum(1, 2) == 3 ? 0 : 1; }\n',
  })
  const nodeSteps = { writes: 'overlay' as const, steps: [build, { command: 'node --test dist/' }] }
  const hasCmake = isThere('ctest', '--version') && isThere('cc', '--version')
  const cmakeSteps = {
    steps: [
      {
        name: 'build',
        command: 'cmake -S . -B "$ARTIFACT_DIR/build/cm" && cmake --build "$ARTIFACT_DIR/build/cm"',
        timeoutSec: 60,
      },
      {
        command: 'cd "$ARTIFACT_DIR/build/cm" && ctest --output-junit "$ARTIFACT_DIR/logs/junit.xml"',
        junit,
        timeoutSec: 60,
      },
    ],
  }
  const proofOf = async (...asked: Parameters<typeof verifyChange>) => (await verifyChange(...asked))?.integrity?.proof
  const sumTest = (line: string) => `#include "../sum.h"\nint main(void) { return ${line} ? 0 : 1; }\n`

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

  test.skipIf(!hasCmake)('is none when they pass without the change, in C', async () => {
    const change = {
      'sum.c': '#include "sum.h"\nint sum(int a, int b) { return b + a; }\n',
      'tests/sum_test.c': sumTest('sum(2, 2) == 4'),
    }
    expect(await proofOf(change, cmakeSteps)).toEqual({ status: 'not_proven' })
  })

  test.skipIf(!hasCmake)('names those that fail without it, in C', async () => {
    const change = {
      'sum.c': '#include "sum.h"\nint sum(int a, int b) { return a < 0 ? 0 : a + b; }\n',
      'tests/sum_test.c': sumTest('sum(-1, 2) == 0'),
    }
    const proof = await proofOf(change, cmakeSteps)
    expect(proof).toMatchObject({ status: 'proven', failing: [expect.stringContaining('sum_test')] })
  })

  test.skipIf(!hasCmake)('is a compiler’s word about one of them', async () => {
    const change = {
      'sum.h': 'int sum(int a, int b);\nint twice(int a);\n',
      'sum.c': '#include "sum.h"\nint sum(int a, int b) { return a + b; }\nint twice(int a) { return sum(a, a); }\n',
      'tests/sum_test.c': sumTest('twice(2) == 4'),
    }
    expect(await proofOf(change, cmakeSteps)).toEqual({ status: 'proven', failing: [] })
  })

  test('is not a step that fails for another reason', async () => {
    const mute = { steps: [{ command: 'node --test --test-reporter=dot >/dev/null 2>&1 src/' }] }
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
