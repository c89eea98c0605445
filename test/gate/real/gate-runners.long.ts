import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

let world: VerifierWorld
const worldOf = (files: Readonly<Record<string, string>>) => {
  beforeAll(async () => {
    world = await makeVerifierWorld(files)
  })
  afterAll(() => world.close())
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

const isThere = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0
const python = '/usr/bin/python3'
const hasPytest = isThere(python, '-m', 'pytest', '--version')
const hasGo = isThere('go', 'version')

const junit = 'logs/junit.xml'

// Each group has its own world, whose time is limited.
describe.each(['py|unit', 'go'])('tests that could not be loaded on the base: %s', (group) => {
  const goTest = (name: string, body: string) => `package ${name}\n\nimport "testing"\n\n${body}\n`
  worldOf({
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
    'py/loud.py': 'def loud(text):\n    return text.upper()\n',
    'go/loud/loud.go':
      'package loud\n\nimport "strings"\n\nfunc Loud(text string) string { return strings.ToUpper(text) }\n',
  }

  const runners: readonly (readonly [string, string, string | null, boolean])[] = [
    ['pytest, JUnit', `cd py && ${python} -m pytest --junitxml="$ARTIFACT_DIR/${junit}"`, junit, hasPytest],
    ['pytest', `cd py && ${python} -m pytest`, null, hasPytest],
    ['pytest -v', `cd py && ${python} -m pytest -v`, null, hasPytest],
    ['unittest', `cd py && ${python} -m unittest`, null, isThere(python, '--version')],
    ['go test', 'cd go && go test ./...', null, hasGo],
    ['go test -v', 'cd go && go test -v ./...', null, hasGo],
    ['go test -json', 'cd go && go test -json ./...', null, hasGo],
  ]
  const own = runners.filter(([what]) => new RegExp(`^(?:${group})`).test(what))

  for (const [what, command, file, isInstalled] of own)
    test.skipIf(!isInstalled)(`may become any tests without a finding: ${what}`, async () => {
      const manifest = await verifyChange(sources, { steps: [{ command, junit: file, timeoutSec: 60 }] })
      expect(manifest?.base?.status).toBe('FAIL')
      expect(kindsOf(manifest)).toEqual([])
      expect(manifest?.integrity?.proof).toEqual({ status: 'not_applicable', reason: 'no test was added or changed' })
    })
})

describe('the proof of tests that a step before has built', () => {
  worldOf({
    'CMakeLists.txt':
      'cmake_minimum_required(VERSION 3.13)\nproject(sum C)\nenable_testing()\nadd_executable(sum_test tests/sum_test.c sum.c)\nadd_test(NAME sum_test COMMAND sum_test)\n',
    'sum.h': 'int sum(int a, int b);\n',
    'sum.c': '#include "sum.h"\nint sum(int a, int b) { return a + b; }\n',
    'tests/sum_test.c': '#include "../sum.h"\nint main(void) { return sum(1, 2) == 3 ? 0 : 1; }\n',
  })
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
})
