import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

type Change = Readonly<Record<string, string | null>>

let world: VerifierWorld

async function verifyChange(change: Change, more: Pick<VerifierInput, 'steps'> & Partial<VerifierInput>) {
  const commit = await world.commitChange(change)
  const response = await world.ask({ purpose: 'change', commit, ...more })
  const { status, manifest, tail_log } = response
  const findings = manifest?.integrity?.findings ?? []
  return { response, status, tail: tail_log ?? '', manifest, canaries: manifest?.canaries, findings }
}

describe('unittest', () => {
  const head = 'import unittest\nfrom area import area\n\n\nclass Areas(unittest.TestCase):\n'
  const squares = '    def test_squares(self):\n        self.assertEqual(area(2), 4)\n'
  const main = "\n\nif __name__ == '__main__':\n    unittest.main()\n"
  const source = 'def area(side):\n    return side * side\n'
  const verbose = [{ command: '/usr/bin/python3 -m unittest discover -v' }]
  const quiet = [{ command: '/usr/bin/python3 -m unittest discover' }]
  const always =
    'class Always:\n    def __eq__(self, other):\n        return True\n\n\ndef cube(side):\n    return Always()\n'
  const cubeTest = (body: string) =>
    `${head.replace('area import area', 'cube import cube').replace('Areas', 'Cubes')}    def test_cubes(self):\n${body}`
  beforeAll(async () => {
    world = await makeVerifierWorld({ 'area.py': source, 'test_area.py': head + squares + main })
  })
  afterAll(() => world.close())

  test.each([['names of failures', quiet]])('an honest change is heard with %s', async (_what, steps) => {
    const change = {
      'area.py': source.replace('side * side', 'side ** 2'),
      'test_area.py': `${head}${squares}\n    def test_more(self):\n        self.assertEqual(area(3), 9)\n${main}`,
    }
    const { status, canaries, findings } = await verifyChange(change, { steps, refactor: true })
    expect([status, canaries?.status, findings]).toEqual(['PASS', 'heard', []])
  })

  test.each([
    [
      'makes the runner count nothing',
      'import unittest\nunittest.TestResult.wasSuccessful = lambda _: True\nunittest.TestResult.addFailure = unittest.TestResult.addError = lambda self, test, err: self.addSuccess(test)\nunittest.TextTestResult.addFailure = unittest.TextTestResult.addError = lambda self, test, err: self.addSuccess(test)\n',
      verbose,
    ],
    [
      'masks the exit code of a runner that names failures alone',
      'import atexit, os\natexit.register(lambda: os._exit(0))\n',
      quiet,
    ],
  ])('a source that %s makes the gate deaf', async (_what, patch, steps) => {
    const { status, canaries } = await verifyChange({ 'area.py': patch + source }, { steps })
    expect([status, canaries?.status, canaries?.reason]).toEqual(['FAIL', 'deaf', expect.any(String)])
  })

  test.each([
    ['compares with what equals everything', always, '        self.assertEqual(cube(2), 9)\n'],
    [
      'swallows its error',
      'def cube(side):\n    return 0\n',
      '        try:\n            assert cube(2) == 8\n        except AssertionError:\n            pass\n',
    ],
  ])('a new test that %s is told to be deaf', async (_what, cube, body) => {
    const { status, findings } = await verifyChange(
      { 'cube.py': cube, 'test_cube.py': cubeTest(body) },
      { steps: verbose },
    )
    expect(status).toBe('PASS')
    // Other kinds may be reported as well: an object that equals everything is noticed by its text,
    // and no test needs the new code.
    const others = ['judges_itself', 'no_proof']
    expect(findings.filter(({ kind }) => !others.includes(kind))).toMatchObject([
      { kind: 'deaf_test', file: 'test_cube.py' },
    ])
  })

  test('tests that are honest in unusual ways are not told to be deaf', async () => {
    const bodies = [
      '    @unittest.expectedFailure\n    def test_expected(self):\n        self.assertEqual(cube(2), 9)\n',
      '    def test_subtests(self):\n        for side in [1]:\n            with self.subTest(side):\n                self.assertEqual(cube(side), 1)\n',
      '    def test_raises(self):\n        with self.assertRaises(TypeError):\n            self.assertEqual(cube(), 9)\n',
      '    def test_skips(self):\n        self.skipTest("not here")\n        self.assertEqual(cube(2), 9)\n',
      '    def test_unequal(self):\n        assert not cube(2) == 9\n        assert cube(2) == 8 or cube(2) == 9\n',
    ]
    const { status, findings } = await verifyChange(
      {
        'cube.py': 'def cube(side):\n    return side ** 3\n',
        'test_cube.py': cubeTest('        self.assertEqual(cube(2), 8)\n') + bodies.map((body) => `\n${body}`).join(''),
      },
      { steps: verbose },
    )
    expect([status, findings]).toEqual(['PASS', []])
  })
})

/** Folder of pytest and its dependencies, for the system's Python; null if it is not installed. */
const pytest = (() => {
  const find = ['-c', 'import os, pytest; print(os.path.dirname(os.path.dirname(pytest.__file__)))']
  const found = spawnSync('python3', find, { encoding: 'utf8' })
  return found.status === 0 ? found.stdout.trim() : null
})()

describe.runIf(pytest)('pytest', () => {
  const source = 'def area(side):\n    return side * side\n'
  const tests = 'from area import area\n\n\ndef test_squares():\n    assert area(2) == 4\n'
  const run = (options: string) => ({
    steps: [
      {
        command: `PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONPATH=${pytest} /usr/bin/python3 -m pytest ${options}`,
        timeoutSec: 60,
      },
    ],
    readOnlyPaths: [pytest ?? ''],
  })
  beforeAll(async () => {
    world = await makeVerifierWorld({ 'area.py': source, 'test_area.py': tests })
  })
  afterAll(() => world.close())
  const runner = 'import _pytest.runner\n_pytest.runner.CallInfo.excinfo = property(lambda _: None, lambda *_: None)\n'
  const always = 'class Always:\n    def __eq__(self, other):\n        return True\n\n\n'

  test.each([
    [
      'that is honest is heard by a runner that stops at the first failure',
      source.replace('side * side', 'side ** 2'),
      '-x -v',
      'heard',
    ],
    ['that patches the runner is deaf', runner + source, '-v', 'deaf'],
    [
      'that masks the exit code is deaf',
      `import atexit, os\natexit.register(lambda: os._exit(0))\n${source}`,
      '-q',
      'deaf',
    ],
  ])(
    'a change %s',
    async (_what, changed, options, expected) => {
      const { status, canaries, tail } = await verifyChange({ 'area.py': changed }, run(options))
      expect([status, canaries?.status, canaries?.reason, tail]).toEqual([
        expected === 'deaf' ? 'FAIL' : 'PASS',
        expected,
        expected === 'deaf' ? expect.any(String) : undefined,
        expect.any(String),
      ])
    },
    120_000,
  )

  test('a new test of what equals everything is told to be deaf', async () => {
    const cube = {
      'cube.py': `${always}def cube(side):\n    return Always()\n`,
      'test_cube.py': tests.replaceAll('area', 'cube'),
    }
    const { status, findings } = await verifyChange(cube, run('-v'))
    expect([status, findings.map(({ kind }) => kind)]).toEqual(['PASS', ['judges_itself', 'deaf_test']])
  })
})

describe('vitest', () => {
  const source = 'export const area = (side: number) => side * side\n'
  const tests =
    "import { expect, test } from 'vitest'\nimport { area } from './area.ts'\ntest('squares', () => {\n  expect(area(2)).toBe(4)\n})\n"
  const modules = join(import.meta.dirname, '../../../node_modules')
  const run = (options = '') => ({
    steps: [{ command: `${modules}/.bin/vitest run --no-cache ${options}`, timeoutSec: 60 }],
    readOnlyPaths: [modules],
  })
  beforeAll(async () => {
    world = await makeVerifierWorld({
      'package.json': '{ "type": "module" }\n',
      'area.ts': source,
      'area.test.ts': tests,
    })
  })
  afterAll(() => world.close())

  test.each([
    [
      'that is honest is heard by a runner that stops at the first failure',
      source.replace('side * side', 'side ** 2'),
      '--bail=1',
      'heard',
    ],
    [
      'that patches an assertion is deaf',
      `import { expect, chai } from 'vitest'\nchai.Assertion.overwriteMethod('toBe', () => () => {})\nexport const it = expect\n${source}`,
      '',
      'deaf',
    ],
  ])('a change %s', async (_what, changed, options, expected) => {
    const { status, canaries, tail } = await verifyChange({ 'area.ts': changed }, run(options))
    expect([status, canaries?.status, canaries?.reason, tail]).toEqual([
      expected === 'deaf' ? 'FAIL' : 'PASS',
      expected,
      expected === 'deaf' ? expect.any(String) : undefined,
      expect.any(String),
    ])
  })
})

const hasGo = existsSync('/usr/bin/go')
describe.runIf(hasGo)('go test', () => {
  const source = 'package area\n\nfunc Area(side int) int { return side * side }\n'
  const tests =
    'package area\n\nimport "testing"\n\nfunc TestSquares(t *testing.T) {\n\tif Area(2) != 4 {\n\t\tt.Fatal("no")\n\t}\n}\n'
  const main =
    'package area\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n'
  const exits =
    'package area\n\nimport (\n\t"os"\n\t"strings"\n)\n\nfunc init() {\n\tif strings.HasSuffix(os.Args[0], ".test") {\n\t\tos.Exit(0)\n\t}\n}\n'
  const step = (command: string) => [{ command, timeoutSec: 120 }]
  beforeAll(async () => {
    world = await makeVerifierWorld({ 'go.mod': 'module area\n\ngo 1.19\n', 'area.go': source, 'area_test.go': tests })
  })
  afterAll(() => world.close())

  test.each([
    [
      'that is honest is heard',
      { 'area.go': source.replace('side * side', 'side*side + 0') },
      'go test ./...',
      'heard',
    ],
    ['whose TestMain exits with 0 is deaf', { 'main_test.go': main }, 'go test ./...', 'deaf'],
    ['whose TestMain exits with 0 is deaf', { 'main_test.go': main }, 'go test -v ./...', 'deaf'],
    ['whose init exits with 0 is deaf', { 'exit.go': exits }, 'go test ./...', 'deaf'],
  ])(
    'a change %s (%#)',
    async (_what, change, command, expected) => {
      const { status, canaries } = await verifyChange(change, { steps: step(command) })
      expect([status, canaries?.status, canaries?.reason]).toEqual([
        expected === 'deaf' ? 'FAIL' : 'PASS',
        expected,
        expected === 'deaf' ? expect.any(String) : undefined,
      ])
    },
    120_000,
  )
})

const [cargo, rustup] = ['.cargo', '.rustup'].map((name) => join(homedir(), name)) as [string, string]

describe.runIf(existsSync(join(cargo, 'bin/rustup')))('cargo test', () => {
  const source = `pub fn area(side: u32) -> u32 { side * side }

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn squares() {
        assert_eq!(area(2), 4);
    }
}
`
  const steps = [{ command: `RUSTUP_HOME=${rustup} ${cargo}/bin/cargo test --offline`, timeoutSec: 120 }]
  beforeAll(async () => {
    world = await makeVerifierWorld({
      'Cargo.toml': '[package]\nname = "area"\nversion = "0.1.0"\nedition = "2021"\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "area"\nversion = "0.1.0"\n',
      'src/lib.rs': source,
    })
  })
  afterAll(() => world.close())

  test.each([
    ['that is honest is heard', source.replace('side * side', 'side.pow(2)'), 'heard'],
    [
      'that replaces an assertion is deaf',
      `macro_rules! assert_eq { ($($any:tt)*) => {}; }\n#[allow(unused_imports)]\n${source}`,
      'deaf',
    ],
  ])(
    'a change %s',
    async (_what, changed, expected) => {
      const { status, canaries, tail } = await verifyChange(
        { 'src/lib.rs': changed },
        { steps, writes: 'overlay', readOnlyPaths: [cargo, rustup] },
      )
      expect([status, canaries?.status, canaries?.reason, tail]).toEqual([
        expected === 'deaf' ? 'FAIL' : 'PASS',
        expected,
        expected === 'deaf' ? expect.any(String) : undefined,
        expect.any(String),
      ])
    },
    120_000,
  )
})
