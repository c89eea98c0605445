import { execFile } from 'node:child_process'
import { delimiter } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import { createFixture, type Fixture, resultOf, runHere } from '../world/fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

// The machine's own npm, with its own configuration, knows where packages come from.
const home = process.env.HOME ?? ''
const systemPath = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))

const runners = [
  {
    runner: 'mocha in the middle of a script, which prints dots',
    devDependencies: { mocha: '11.7.5' },
    script: "node --check a.js && mocha --reporter dot --bail 'test/*.js' && node --check a.js",
    file: "describe('sums', () => {\n  it('adds', () => {})\n  it('adds more', () => {})\n})\n",
  },
  {
    runner: 'ava at the end of one',
    devDependencies: { ava: '6.4.1' },
    script: 'node --check a.js && ava',
    file: "const test = require('ava')\ntest('adds', t => t.pass())\ntest('adds more', t => t.pass())\n",
  },
]

test('init says which of two runners in a script does not name its tests, and how many it ran', async () => {
  const done = await init({
    devDependencies: { uvu: '0.5.6' },
    script: 'node --test own.js && uvu test',
    file: "const { test } = require('uvu')\ntest('adds', () => {})\ntest('adds more', () => {})\ntest.run()\n",
  })
  expect(done.exitCode, done.stderr).toBe(0)
  const { manifest } = resultOf(done).answer as VerifierResponse
  expect(manifest?.tests).toEqual({ ran: 3, passed: 3, failed: 0, skipped: 0 })
  expect(done.stderr).toMatch(
    /^The step test does not name each test of uvu \(2 tests\)\. Of these the gate compares only the number\. Run uvu in a step of its own that writes a JUnit report \("junit"\)\.$/m,
  )
}, 120_000)

test.each(runners)(
  'init has $runner name its tests without another package',
  async (project) => {
    const done = await init(project)
    expect(done.exitCode, done.stderr).toBe(0)
    const { manifest } = resultOf(done).answer as VerifierResponse
    expect(manifest?.tests).toEqual({ ran: 2, passed: 2, failed: 0, skipped: 0 })
    expect(done.stderr).toMatch(/^The gate is green: 1 step/m)
  },
  120_000,
)

async function init({
  devDependencies,
  script,
  file,
}: Pick<(typeof runners)[number], 'script' | 'file'> & { readonly devDependencies: object }) {
  const scripts = { test: script }
  await fixture.git('rm', '-q', '.drydock/config.json')
  await fixture.write({
    'package.json': JSON.stringify({ name: 'a', version: '1.0.0', scripts, devDependencies }, null, 2),
    'test/sums.js': file,
    'a.js': '',
    'own.js': "require('node:test').test('is there', () => {})\n",
    '.gitignore': 'node_modules\n',
  })
  await promisify(execFile)('npm', ['install', '--package-lock-only', '--silent'], {
    cwd: fixture.repo,
    env: { PATH: systemPath.join(delimiter), HOME: home },
  })
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'a project')
  return runHere(['init', '--json', '--repo', fixture.repo], { ...fixture.env, HOME: home })
}
