import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, createFixture, type Fixture, greenLanes, plan, resultOf, runHere, write } from './world/fixture.ts'
import { launch } from './world/process.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

describe('a task works', () => {
  async function done(env: Fixture['env'], repo: string, ...args: string[]) {
    const model = await fixture.replay(greenLanes)
    const ended = await runHere(['task', 'say new', '--json', '--model', model, '--repo', repo, ...args], env)
    expect(ended.exitCode, ended.stderr).toBe(0)
    return resultOf(ended)
  }

  test('has a diff that git can apply', async () => {
    await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    const { stdout } = await fixture.drydock('diff')
    const patch = join(fixture.folder, 'the.patch')
    await writeFile(patch, stdout)
    await fixture.git('apply', patch)
    expect(await readFile(join(fixture.repo, 'value.txt'), 'utf8')).toBe('new\n')
  })

  test('in folders with spaces and letters beyond ASCII, and prints paths that a shell takes', async () => {
    const repo = join(fixture.folder, 'mein Gerät – 作業', "it's")
    await mkdir(join(repo, '..'))
    await rename(fixture.repo, repo)
    const env = { ...fixture.env, DRYDOCK_HOME: join(fixture.folder, 'état de la chose') }
    expect(await done(env, repo)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
    await writeFile(join(repo, 'Makefile'), 'test:\n\ttrue\n')
    await promisify(execFile)('git', ['-C', repo, 'rm', '-q', '--cached', '.drydock/config.json'])
    await rename(join(repo, '.drydock'), join(repo, 'old'))
    const line = (await runHere(['init', '--repo', repo], env)).stdout.trimEnd().split('\n').at(-1) ?? ''
    await promisify(execFile)('sh', ['-c', line], { cwd: '/', env })
  })

  test('from a folder inside the repository, and from a branch that is not checked out', async () => {
    await fixture.git('checkout', '-q', '-b', 'other')
    await fixture.write({ 'only/on/other.txt': 'x\n' })
    await fixture.git('add', '-A')
    await fixture.git('commit', '-qm', 'other')
    const main = await fixture.git('rev-parse', 'main')
    expect(await done(fixture.env, join(fixture.repo, 'only', 'on'), '--target', 'main')).toMatchObject({ base: main })
  })

  test('with a DRYDOCK_HOME that is relative to where it is started', async () => {
    const model = await fixture.replay(greenLanes)
    const env = { ...fixture.env, DRYDOCK_HOME: 'my state' }
    const cwd = fixture.folder
    const args = ['task', 'say new', '--json', '--model', model, '--repo', fixture.repo]
    const ended = await launch(args, { env, cwd }).ended
    expect(ended.exitCode, ended.stderr).toBe(0)
    expect((await readdir(join(cwd, 'my state'))).toSorted()).toEqual([
      'receipt-key.pem',
      expect.stringMatching(/^repo-[0-9a-f]{12}$/),
    ])
  })
})

test('model output cannot control the terminal that shows it', async () => {
  const evil = 'Say new\u001b]0;owned\u0007\u001b[2J\u202e'
  const lanes = {
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [write('new \u001b[31m\n'), call('submit_change', { summary: evil })],
  }
  const script = join(fixture.folder, 'typescript')
  const model = await fixture.replay(lanes)
  const bin = new URL('../../bin/drydock', import.meta.url).pathname
  // The control characters in the file are a finding.
  const command = `'${bin}' task 'say new' --model ${model} --repo ${fixture.repo} || [ $? = 3 ] && '${bin}' diff --repo ${fixture.repo}`
  const { PATH = '' } = fixture.env
  await promisify(execFile)('script', ['-qec', command, script], {
    env: { ...fixture.env, PATH, TERM: 'xterm', NO_COLOR: '1' },
  })
  const shown = await readFile(script, 'utf8')
  expect(shown).toContain('Say new')
  expect(shown).toContain('+new')
  const steering = shown.replaceAll('\u001b[2K', '')
  expect(['\u001b', '\u0007', '\u202e'].filter((character) => steering.includes(character))).toEqual([])
})
