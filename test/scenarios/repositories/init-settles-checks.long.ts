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
 * These files and no configuration, and what `init` makes of them, from a folder of the repository.
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

const manifest = (scripts: object) => JSON.stringify({ name: 'a', scripts }, null, 2)
const nodeTest = "const { test } = require('node:test')\ntest('adds', () => {})\n"
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
})
