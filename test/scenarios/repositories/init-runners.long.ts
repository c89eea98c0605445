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

test.each(runners)(
  'init has $runner name its tests without another package',
  async ({ devDependencies, script, file }) => {
    const scripts = { test: script }
    await fixture.git('rm', '-q', '.drydock/config.json')
    await fixture.write({
      'package.json': JSON.stringify({ name: 'a', version: '1.0.0', scripts, devDependencies }, null, 2),
      'test/sums.js': file,
      'a.js': '',
      '.gitignore': 'node_modules\n',
    })
    await promisify(execFile)('npm', ['install', '--package-lock-only', '--silent'], {
      cwd: fixture.repo,
      env: { PATH: systemPath.join(delimiter), HOME: home },
    })
    await fixture.git('add', '-A')
    await fixture.git('commit', '-qm', 'a project')
    const done = await runHere(['init', '--json', '--repo', fixture.repo], { ...fixture.env, HOME: home })
    expect(done.exitCode, done.stderr).toBe(0)
    const { manifest } = resultOf(done).answer as VerifierResponse
    expect(manifest?.tests).toEqual({ ran: 2, passed: 2, failed: 0, skipped: 0 })
    expect(done.stderr).toMatch(/^The gate is green: 1 step/m)
  },
  120_000,
)
