import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseRepositoryConfig } from '../../../src/config/load.ts'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import { createFixture, type Fixture, greenLanes, resultOf, runHere } from '../world/fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

/** A repository with these files and without a configuration. */
async function bare(files: Record<string, string>): Promise<void> {
  await fixture.git('rm', '-q', '.drydock/config.json')
  await fixture.write(files)
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'without a configuration')
}

const makefile = { Makefile: 'test:\n\tgrep -q new value.txt\n' }

describe('init runs the gate once on the tree as it is, and says that it is green, for', () => {
  const green = /^The gate is green: 1 step in [\d.]+ s\.$/m

  test.runIf(existsSync('/usr/bin/npm'))('a project with node --test, whose report is kept', async () => {
    const manifest = JSON.stringify({ scripts: { test: 'node --test spec/a.js' } })
    await bare({ 'package.json': manifest, 'spec/a.js': "require('node:test').test('adds <1>', () => {})" })
    const done = await fixture.drydock('init', '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.events.map(({ type }) => type)).toEqual([
      'init',
      'run',
      'run_state',
      'verification',
      'run_state',
      'result',
    ])
    expect(done.events[0]).toMatchObject({ steps: [{ junit: 'logs/junit.xml' }] })
    expect(done.stderr).toMatch(green)
    const { run_id: runId } = resultOf(done).answer as VerifierResponse
    const { artifacts } = await fixture.open()
    const report = await readFile(join(artifacts, 'runs', runId, 'logs', 'junit.xml'), 'utf8')
    expect(report).toMatch(/^<\?xml [\s\S]*<testcase name="adds &lt;1>"[\s\S]*<\/testsuites>\s*$/)
  })
})

test('init says that nothing is committed yet, in a repository where that is so', async () => {
  const repo = join(fixture.folder, 'empty')
  execFileSync('git', ['init', '-q', repo], { env: fixture.env })
  await writeFile(join(repo, 'Makefile'), 'test:\n')
  const done = await runHere(['init', '--repo', repo], fixture.env)
  expect(done).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/nothing is committed yet\. .*drydock verify.*\nCommit it/),
  })
  expect(existsSync(join(repo, '.drydock/config.json'))).toBe(true)
})

test('init refuses to write over what is there', async () => {
  const before = await readFile(join(fixture.repo, '.drydock', 'config.json'), 'utf8')
  await fixture.write({ Makefile: 'test:\n\ttrue\n' })
  const again = await fixture.drydock('init')
  expect(again.exitCode).toBe(2)
  expect(again.stderr).toMatch(/^drydock: \S+\.drydock\/config\.json exists already\.\nEdit it/)
  expect(await readFile(join(fixture.repo, '.drydock', 'config.json'), 'utf8')).toBe(before)
})

test('init --user leaves the repository as it is, runs the gate, makes a task possible, and refuses to do it twice', async () => {
  await bare(makefile)
  const done = await fixture.drydock('init', '--user')
  expect(done).toMatchObject({
    exitCode: 3,
    stdout: expect.stringMatching(/gate is red[\s\S]*drydock verify --repo/),
  })
  expect(await fixture.git('status', '--porcelain', '--ignored')).toBe('')
  const task = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
  expect(resultOf(task)).toMatchObject({ status: 'DONE' })
  expect(await fixture.drydock('init', '--user')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('exists already'),
  })
})

test('init says in an empty repository that the first commit is missing, beside what it looked for', async () => {
  await rm(fixture.repo, { recursive: true })
  await mkdir(fixture.repo)
  await fixture.git('init', '-q')
  const done = await fixture.drydock('init')
  expect(done.exitCode).toBe(2)
  expect(done.stderr).toMatch(/No build system was recognised[^\n]* The repository has no commits yet[^\n]*\n.*git add/)
})

test('init names the template where it recognises nothing', async () => {
  await bare({ 'notes.txt': '' })
  const done = await fixture.drydock('init')
  expect(done.exitCode).toBe(2)
  expect(done.stderr).toMatch(/No build system was recognised[^\n]{0,100}\n.*drydock init --step "/)
  expect(existsSync(/(\/\S+configuration\.md)/.exec(done.stderr)?.[1] ?? '')).toBe(true)
  const [, heading = ''] = /"([^"]+)"\.\n$/.exec(done.stderr) ?? []
  const docs = await readFile(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8')
  const [, template = ''] =
    new RegExp(`^### ${heading}$[\\s\\S]*?\`\`\`jsonc\n([\\s\\S]*?)\`\`\``, 'm').exec(docs) ?? []
  const config = template.replace(/^ *\/\/.*\n/gm, '')
  expect(parseRepositoryConfig(config, 'docs').verification.steps.length).toBeGreaterThan(0)
  expect(existsSync(join(fixture.repo, '.drydock'))).toBe(false)
})

test('init refuses a command that rewrites what it should check', async () => {
  await bare({})
  const done = await fixture.drydock('init', '--step', 'jest --ci -u')
  expect([done.exitCode, done.stderr]).toEqual([2, expect.stringContaining('rewrites the files it should check: -u')])
})
