import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyFailed } from '../../../src/domain/verification/why-failed.ts'
import { writeFiles } from '../../adapters/git/git-world.ts'
import { type Asked, makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

type Change = Readonly<Record<string, string | null>>

let world: VerifierWorld

async function verifyChange(change: Change, more: Pick<Asked, 'steps'> & Partial<Asked>) {
  world.git('reset', '--quiet', '--hard', world.tip)
  for (const [path, content] of Object.entries(change)) {
    if (content === null) rmSync(join(world.repository, path))
    else writeFiles(world.repository, { [path]: content })
  }
  const commit = world.commitAll()
  const { signal } = new AbortController()
  await world.userRepository.updateMirror(signal)
  const response = await world.ask({ purpose: 'change', commit, signal, ...more })
  const { status, manifest, tail_log } = response
  const findings = manifest?.integrity?.findings ?? []
  return { response, status, tail: tail_log ?? '', manifest, canaries: manifest?.canaries, findings }
}

describe('node:test', () => {
  const head = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { area } from '../src/area.js'\n`
  const squares = `test('squares', () => { assert.equal(area(2), 4) })\n`
  const cube = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { cube } from '../src/cube.js'\n`
  const source = 'export const area = (side) => side * side\n'
  const spec = [{ command: 'node --test --test-reporter=spec' }]
  const cubed = 'export const cube = (side) => side ** 3\n'
  const cubes = (body = 'assert.equal(cube(2), 8)') => `test('cubes', () => { ${body} })\n`
  beforeAll(async () => {
    world = await makeVerifierWorld({
      'package.json': '{ "name": "area", "type": "module" }\n',
      'src/area.js': source,
      'test/area.test.js': head + squares,
    })
  })
  afterAll(() => world.close())

  test('an honest change is heard, in one run of the steps', async () => {
    const { status, tail, canaries, findings, manifest } = await verifyChange(
      { 'src/cube.js': cubed, 'test/cube.test.js': cube + cubes() },
      { steps: spec },
    )
    expect([status, status === 'PASS' ? '' : tail, findings]).toEqual(['PASS', '', []])
    const files = ['test/cube.test.js', 'test/area.test.js']
    expect(canaries).toEqual({ status: 'heard', steps: [{ step: 'test', status: 'heard', files }] })
    const log = world.read(manifest?.run_id ?? '', 'logs/canaries.log')
    expect(log).toContain('✔ squares')
    expect(log).toContain('✖ cubes')
    expect(() => world.read(manifest?.run_id ?? '', 'logs/canaries-again.log')).toThrow()
  })

  test.each([
    ['replaces an assertion', `import assert from 'node:assert'\nassert.equal = () => {}\n`, spec],
    ['replaces one of them', `import assert from 'node:assert'\nassert.throws = () => {}\n`, spec],
    [
      'masks the exit code',
      `process.on('exit', () => { process.exitCode = 0 })\n`,
      [{ command: 'node test/area.test.js' }],
    ],
    [
      'ends the process when a test fails',
      `import assert from 'node:assert'\nassert.equal = (a, b) => { if (a != b) process.exit(0) }\n`,
      spec,
    ],
  ])('a source that %s makes the gate deaf, which is a FAIL', async (_what, patch, steps) => {
    const { response, status, tail, canaries, manifest } = await verifyChange(
      { 'src/area.js': patch + source },
      { steps },
    )
    expect([status, canaries?.status]).toEqual(['FAIL', 'deaf'])
    expect(manifest?.integrity).toBeUndefined()
    expect(tail).toContain('[drydock] gate_deaf: ')
    expect(tail).toContain('test/area.test.js')
    expect(whyFailed(response)).toMatch(/^gate_deaf: step test: /)
  })

  test('a runner that was deaf before the change is not the fault of the change', async () => {
    const { status, canaries } = await verifyChange(
      { 'src/cube.js': cubed, 'test/area.test.js': head + squares.replace('(2), 4', '(3), 9') },
      { steps: [{ command: 'node --test --test-reporter=spec --test-name-pattern=squares' }] },
    )
    expect([status, canaries?.status]).toEqual(['PASS', 'not_tried'])
  })

  test('a step that checks its files before it tests them is not taken to be deaf', async () => {
    const { status, canaries } = await verifyChange(
      { 'src/cube.js': cubed, 'test/cube.test.js': cube + cubes() },
      { steps: [{ command: '! grep -q lies -r test && node --test --test-reporter=spec' }] },
    )
    expect([status, canaries?.status, canaries?.reason]).toEqual([
      'PASS',
      'not_tried',
      expect.stringContaining('before they run'),
    ])
  })

  test.each([
    ['returns early', 'return; assert.equal(cube(2), 8)'],
    ['swallows its error', 'try { assert.equal(cube(2), 8) } catch {}'],
  ])('a new test that %s is told to be deaf', async (_what, body) => {
    const { status, canaries, findings } = await verifyChange(
      {
        'src/cube.js': cubed,
        'test/cube.test.js': `${cube + cubes(body)}test('needs it', () => { assert.ok(cube) })\n`,
      },
      { steps: spec },
    )
    expect([status, canaries?.status]).toEqual(['PASS', 'heard'])
    expect(findings).toMatchObject([{ kind: 'deaf_test', file: 'test/cube.test.js' }])
    expect(findings[0]?.evidence).toContain('cubes: ')
  })

  test('tests that are honest in unusual ways are not told to be deaf', async () => {
    const bodies = [
      `for (const side of [1]) test('in a table', () => { assert.equal(cube(side), 1) })`,
      `test('under a condition', () => { if (cube(2) === 9) assert.equal(cube(2), 9) })`,
      `test('with a helper', () => { const check = () => { assert.equal(cube(2), 9) }; assert.ok(check) })`,
      `test('not here', (t) => { if (process.platform === 'linux') return t.skip(); assert.equal(cube(2), 9) })`,
      `test('an error', () => {\n  try {\n    cube.none()\n    assert.fail('none')\n  } catch (error) {\n    assert.equal(error.name, 'TypeError')\n  }\n})`,
      `test('twice', () => { assert.equal(cube(1), 1) })\ntest('a message', () => {\n  assert.equal(\n    cube(2),\n    8,\n    'eight',\n  )\n})`,
    ]
    const { status, findings } = await verifyChange(
      { 'src/cube.js': cubed, 'test/cube.test.js': `${cube}${bodies.join('\n')}\n` },
      { steps: spec },
    )
    expect([status, findings]).toEqual(['PASS', []])
  })
})

describe('tests beside a failing one', () => {
  const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
  const source = 'export const area = (side) => side * side\n'
  const own = `${head}import { area } from '../src/area.js'\ntest('squares', () => { assert.equal(area(2), 4) })\n`
  const later = `${head}import { area } from '../src/area.js'\ntest('is later', () => { assert.equal(area(3), 9) })\n`
  /** As some repositories look after themselves. */
  const counts = `${head}import { readFileSync } from 'node:fs'\ntest('is short', () => { assert.ok(readFileSync('test/a.test.js', 'utf8').length < 400) })\n`
  const broken = `import assert from 'node:assert'
let broken = false
const { equal } = assert
assert.equal = (...two) => {
  try {
    equal(...two)
  } catch (error) {
    broken = true
    throw error
  }
}
export const area = (side) => (broken ? 0 : side * side)
`
  const steps = [{ command: 'node --test-reporter=spec run.js' }]
  beforeAll(async () => {
    world = await makeVerifierWorld({
      'package.json': '{ "name": "area", "type": "module" }\n',
      'run.js': ['a', 'b', 'c'].map((name) => `import './test/${name}.test.js'\n`).join(''),
      ...{ 'src/area.js': source, 'test/a.test.js': own, 'test/b.test.js': counts, 'test/c.test.js': later },
    })
  })
  afterAll(() => world.close())

  test('that do not pass then, but do on the base commit, are a finding', async () => {
    const { status, tail, canaries, findings } = await verifyChange(
      { 'src/area.js': broken },
      { steps, refactor: true },
    )
    expect([status, status === 'PASS' ? '' : tail, canaries?.status]).toEqual(['PASS', '', 'heard'])
    const found = findings.find(({ kind }) => kind === 'results_disturbed')
    expect(found?.claim).toContain('A test does not pass when another test fails')
    expect(found?.evidence).toContain('- is later')
  })

  test('that do not pass on the base commit, either, are none', async () => {
    const change = { 'src/area.js': source.replace('side * side', 'side ** 2') }
    const { status, canaries, findings, manifest } = await verifyChange(change, { steps, refactor: true })
    expect([status, canaries?.status, findings]).toEqual(['PASS', 'heard', []])
    expect(world.read(manifest?.run_id ?? '', 'logs/canaries-beside-base.log')).toContain('✖ is short')
  })
})

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

  test.each([
    ['all names', verbose],
    ['names of failures', quiet],
  ])('an honest change is heard with %s', async (_what, steps) => {
    const change = {
      'area.py': source.replace('side * side', 'side ** 2'),
      'test_area.py': `${head}${squares}\n    def test_more(self):\n        self.assertEqual(area(3), 9)\n${main}`,
    }
    const { status, canaries, findings } = await verifyChange(change, { steps, refactor: true })
    expect([status, canaries?.status, findings]).toEqual(['PASS', 'heard', []])
  })

  test.each([
    ['replaces an assertion', 'import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n', verbose],
    [
      'makes the runner count nothing',
      'import unittest\nunittest.TestResult.wasSuccessful = lambda _: True\nunittest.TestResult.addFailure = unittest.TestResult.addError = lambda self, test, err: self.addSuccess(test)\nunittest.TextTestResult.addFailure = unittest.TextTestResult.addError = lambda self, test, err: self.addSuccess(test)\n',
      verbose,
    ],
    ['masks the exit code', 'import atexit, os\natexit.register(lambda: os._exit(0))\n', verbose],
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
    ['returns early', 'def cube(side):\n    return 0\n', '        return\n        self.assertEqual(cube(2), 8)\n'],
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
    // What equals everything is told by its text as well.
    expect(findings.filter(({ kind }) => kind !== 'judges_itself')).toMatchObject([
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

/** Where pytest and what it needs lies, for a Python of the system; null where there is none. */
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
    ['that is honest is heard', source.replace('side * side', 'side ** 2'), '-v', 'heard'],
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
        ...[expected === 'deaf' ? 'FAIL' : 'PASS', expected],
        ...[expected === 'deaf' ? expect.any(String) : undefined, expect.any(String)],
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
    ['that is honest is heard', source.replace('side * side', 'side ** 2'), '', 'heard'],
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
      ...[expected === 'deaf' ? 'FAIL' : 'PASS', expected],
      ...[expected === 'deaf' ? expect.any(String) : undefined, expect.any(String)],
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
        ...[expected === 'deaf' ? 'FAIL' : 'PASS', expected],
        ...[expected === 'deaf' ? expect.any(String) : undefined, expect.any(String)],
      ])
    },
    120_000,
  )
})
