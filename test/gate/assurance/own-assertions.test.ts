import { expect, test } from 'vitest'
import type { Program } from '../../world/sandbox.ts'
import { makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'

const lib = `failed=0
assert_eq() {
  if [ "$1" != "$2" ]; then
    echo "$1 is not $2"
    failed=1
  fi
}
`
/**
 * A runner without test names: an inequality counts as long as the assertion reports its failure.
 */
const script: Program = (seen) => {
  const hears = /failed=1/.test(seen.read('tests/lib.sh') ?? '')
  const calls = [...(seen.read('tests/run.sh') ?? '').matchAll(/^assert_eq "\$\(area (\d)\)" (\w+)/gm)]
  const isRight = calls.every(([, side, is]) => `${Number(side) ** 2}` === is)
  return hears && !isRight ? 1 : 0
}
const files = {
  'src/area.js': 'export const area = (side) => side * side\n',
  'tests/lib.sh': lib,
  'tests/run.sh': '. tests/lib.sh\nassert_eq "$(area 2)" 4\nassert_eq "$(area 3)" 9\nexit $failed\n',
}

async function verifyChange(change: Readonly<Record<string, string>>, more: Partial<VerifierInput> = {}) {
  const world = makeMemoryGate(files, { script })
  const commit = world.commitOf({ 'src/area.js': 'export const area = (side) => side ** 2\n', ...change })
  const asked = { steps: [{ command: 'script' }], purpose: 'change', refactor: true, commit, ...more } as const
  const { status, manifest, tail_log } = await world.ask(asked)
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  const findings = manifest?.integrity?.findings ?? []
  const names = manifest?.trees?.map(({ name }) => name).filter((name) => name.includes('assertion')) ?? []
  return { kinds: findings.map(({ kind }) => kind), findings, names }
}

test('an edited assertion through which a new test passes is told with its name', async () => {
  const { findings } = await verifyChange({
    'tests/lib.sh': lib.replace('failed=1', ':'),
    'tests/run.sh': files['tests/run.sh'].replace('exit', 'assert_eq "$(area 4)" 17\nexit'),
  })
  expect(findings.map(({ kind, file, claim }) => [kind, file, claim])).toEqual([
    [
      'expectation_changed',
      'tests/lib.sh',
      'With the base commit’s assert_eq of tests/lib.sh, by which tests assert, a test that passes fails. Keep the assertion as it was, or let a reviewer accept the new one.',
    ],
  ])
})

// The tree with the old assertion equals the one with the old tests.
test('an edited assertion that hears nothing any more is told while all is right', async () => {
  const { findings, names } = await verifyChange({ 'tests/lib.sh': lib.replace('failed=1', ':') })
  expect(findings.map(({ kind, file }) => [kind, file])).toEqual([['deaf_test', 'tests/lib.sh']])
  expect(findings[0]?.evidence).toContain('assert_eq of tests/lib.sh passes with other values in tests/run.sh:3')
  expect(names).toEqual(['assertion-assert_eq-1', 'assertion-assert_eq-1-base'])
})

test('an edited assertion that is heard, and one in another layout, are told nothing of', async () => {
  const heard = await verifyChange({ 'tests/lib.sh': lib.replace('is not', 'should be') })
  expect([heard.kinds, heard.names]).toEqual([[], ['assertion-assert_eq-1']])
  const laidOut = await verifyChange({ 'tests/lib.sh': lib.replace('  if', '  # Compares.\n  if') })
  expect([laidOut.kinds, laidOut.names]).toEqual([[], []])
})

test('a helper of named tests is left to other checks, also beside a step that names none', async () => {
  const helper = (text: string) =>
    `import assert from 'node:assert'\nexport function check(is, expected) {\n  if (is !== expected) assert.fail(\`${text}\`)\n}\n`
  const tests =
    "import test from 'node:test'\nimport { area } from '../src/area.js'\nimport { check } from './check.js'\ntest('squares', () => { check(area(2), 4) })\n"
  const world = makeMemoryGate({
    'package.json': '{ "type": "module" }\n',
    'src/area.js': files['src/area.js'],
    'test/check.js': helper('wrong'),
    'test/area.test.js': tests,
  })
  const commit = world.commitOf({
    'src/area.js': 'export const area = (side) => side ** 2\n',
    'test/check.js': helper('not equal'),
  })
  const steps = [{ command: 'node --test' }, { name: 'lint', command: 'true' }]
  const { status, manifest } = await world.ask({ steps, purpose: 'change', refactor: true, commit })
  expect([status, manifest?.integrity?.findings]).toEqual(['PASS', []])
})
