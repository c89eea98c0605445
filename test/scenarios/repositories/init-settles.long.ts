import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture, runHere } from '../world/fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
  await fixture.git('rm', '-q', '.drydock/config.json')
})
afterEach(() => fixture.remove())

/**
 * The result of `init` for these files without a configuration, from a folder of the repository.
 */
async function init(files: Record<string, string>, { at = '', more = [] as string[] } = {}) {
  await fixture.write(files)
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'a project')
  const done = await runHere(['init', ...more, '--repo', join(fixture.repo, at)], fixture.env)
  const file = join(fixture.repo, '.drydock/config.json')
  const text = existsSync(file) ? await readFile(file, 'utf8') : '{}'
  return { ...done, verification: JSON.parse(text).verification }
}

const hasPytest = spawnSync('/usr/bin/python3', ['-c', 'import pytest']).status === 0
const manifest = (scripts: object) => JSON.stringify({ name: 'a', scripts }, null, 2)
const nodeTest = "const { test } = require('node:test')\ntest('adds', () => {})\n"
const unittest = (body: string) =>
  `import unittest\nclass Sums(unittest.TestCase):\n  def test_adds(self):\n    ${body}\n  def test_more(self):\n    pass\n`

describe.runIf(existsSync('/usr/bin/npm'))('of a package.json', () => {
  test('a check that fails on the untouched tree is left out, which is said', async () => {
    const scripts = { lint: 'node lint.js', build: 'node build.js', test: 'node --test test.js' }
    const done = await init({
      'package.json': manifest(scripts),
      'lint.js': 'process.exit(7)',
      'build.js': '',
      'test.js': nodeTest,
    })
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.verification.steps.map(({ name }: { name: string }) => name)).toEqual(['build', 'test'])
    expect(done.stdout).toMatch(/^The gate is green: 2 steps/m)
    expect(done.stdout).toMatch(/^The step lint is left out: `npm run lint` ends with 7 before any change\./m)
  })

  test('tests that a script runs behind a check that fails are run alone, which is said', async () => {
    const scripts = { test: 'node lint.js && npm run unit', unit: 'node --test test.js' }
    const done = await init({ 'package.json': manifest(scripts), 'lint.js': 'process.exit(7)', 'test.js': nodeTest })
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.verification.steps).toMatchObject([
      { command: expect.stringMatching(/ npm exec -c 'node --test test\.js'$/) },
    ])
    expect(done.stdout).toMatch(
      /^The step test is `.*test\.js'`: the rest of `.* npm test` fails before any change\.$/m,
    )
  })

  test('a check that only fails because of the configuration is named, and --user is the way out', async () => {
    const files = {
      'package.json': manifest({ lint: 'sh lint.sh', test: 'node --test test.js' }),
      'lint.sh': 'for file in .d*/*.json; do test ! -e "$file" || { echo "$file: indent"; exit 1; }; done\n',
      'test.js': nodeTest,
    }
    const done = await init(files)
    expect(done.exitCode).toBe(3)
    expect(done.verification.steps).toHaveLength(2)
    expect(done.stdout).toMatch(/^The step lint passes only without \.drydock\/config\.json\. .* drydock init --user$/m)
    await fixture.git('clean', '-qfd')
    const own = await fixture.drydock('init', '--user')
    expect([own.exitCode, own.stdout]).toEqual([0, expect.stringMatching(/^The gate is green: 2 steps/m)])
  })

  test('Windows line endings are read as any others, and named where a shell cannot', async () => {
    const windows = (text: string) => text.replaceAll('\n', '\r\n')
    const done = await init({
      'package.json': `\uFEFF${windows(manifest({ test: 'sh test.sh' }))}`,
      'test.sh': windows('cat value.txt\ntest -f value.txt\n'),
    })
    expect(done.exitCode, done.stdout).toBe(3)
    expect(done.verification.steps).toEqual([{ name: 'test', command: 'npm test' }])
    expect(done.stdout).toMatch(/^A script has Windows line endings, .*gitattributes\)\.$/m)
  })

  test('a repository without tests is told so, and its other checks are the gate', async () => {
    const done = await init({ 'package.json': manifest({ lint: 'node lint.js' }), 'lint.js': '' })
    expect(done.stderr).toContain('package.json has no script "test": the gate does not run any test.')
    expect(done.stdout).toContain('no test results were read')
  })
})

describe.runIf(existsSync('/usr/bin/python3'))('of a Python project', () => {
  test('tests that write into the tree get one that they can write to', async () => {
    const done = await init({ 'setup.py': '', 'test_a.py': unittest("open('made', 'w').close()") })
    expect(done.exitCode, done.stdout).toBe(0)
    expect(done.verification.writes).toBe('overlay')
    expect(done.stdout).toMatch(/^"writes" is "overlay": the step test passes only if it can write into the tree\./m)
    expect(await fixture.git('status', '--porcelain')).toBe('?? .drydock/')
  })

  test('tests that fail already are named by their ids, in the line that lets them', async () => {
    const done = await init({ 'setup.py': '', 'test_a.py': unittest('self.assertEqual(1, 2)') })
    expect(done.exitCode).toBe(3)
    expect(done.verification).not.toHaveProperty('writes')
    const [, line = ''] =
      /^1 test fails already\. To let it fail, put into "verification": ("allow_failing": .*)$/m.exec(done.stdout) ?? []
    const config = { verification: { ...done.verification, ...JSON.parse(`{${line}}`) } }
    await fixture.write({ '.drydock/config.json': JSON.stringify(config) })
    await fixture.git('add', '-A')
    await fixture.git('commit', '-qm', 'with what fails already')
    const after = await fixture.drydock('verify', 'HEAD')
    expect(after.exitCode, after.stdout).toBe(0)
  })

  test.runIf(hasPytest)(
    'packages that cannot be installed are skipped if the tests pass with the machine’s Python',
    async () => {
      const done = await init({
        'requirements.txt': 'pytest\n./no-such-folder\n',
        'test_a.py': 'def test_adds():\n  assert 1 + 1 == 2\n',
      })
      expect(done.exitCode, done.stdout).toBe(0)
      expect(done.verification).toEqual({
        steps: [
          { name: 'test', command: expect.stringMatching(/^python3 -m pytest --junitxml=/), junit: 'logs/junit.xml' },
        ],
      })
      expect(done.stdout).toMatch(
        /^The Python packages cannot be installed here: the tests run with the machine's own Python\.$/m,
      )
    },
    120_000,
  )

  test('tests that want the network are said to', async () => {
    const done = await init({
      'setup.py': '',
      'test_a.py': `import urllib.request\n${unittest("urllib.request.urlopen('http://example.org')")}`,
    })
    expect(done.exitCode).toBe(3)
    expect(done.stdout).toMatch(/^It needs the network, which no step has\./m)
  })
})

test('in one of several projects uses the current folder; elsewhere the output names one', async () => {
  const files = { 'a/b/go.mod': 'module a\n', 'library/Makefile': 'test:\n\ttrue\n' }
  const lost = await init(files)
  expect([lost.exitCode, lost.stderr]).toEqual([2, expect.stringContaining('drydock init --package library ')])
  const done = await init({ 'library/src/a.c': '' }, { at: 'library/src' })
  // The output does not show whether a test ran.
  expect(done.exitCode, done.stderr).toBe(3)
  expect(done.verification).toMatchObject({ package: 'library', steps: [{ command: 'make test' }] })
  expect(done.stdout).toMatch(/^The step test names no tests, so the gate cannot see when a test disappears\./m)
  expect(done.stdout).toMatch(/^Once a step names its tests, or to keep it as it is: /m)
})

test('a command that the user names may name no tests, which is said all the same', async () => {
  const done = await init({ Makefile: 'test:\n\ttrue\n' }, { more: ['--step', 'make test'] })
  expect(done.exitCode, done.stderr).toBe(0)
  expect(done.stdout).toMatch(/^The step test names no tests, so the gate cannot see when a test disappears\./m)
})

test.runIf(existsSync('/usr/bin/ctest') && existsSync('/usr/bin/cc'))(
  'with tests in a CMakeLists.txt uses ctest for their names, whatever the Makefile runs',
  async () => {
    const done = await init({
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.10)\nproject(a C)\nenable_testing()\nadd_executable(sums sums.c)\nadd_test(NAME sums COMMAND sums)\n',
      'sums.c': 'int main(void) { return 0; }\n',
      Makefile: 'test:\n\techo demo\n',
    })
    expect(done.exitCode, done.stderr + done.stdout).toBe(0)
    expect(done.stdout).toMatch(/^The gate is green: 2 steps/m)
    expect(done.stdout).not.toContain('names no tests')
  },
)
