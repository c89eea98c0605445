import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, utimes, writeFile as writeText } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createCrewFixture, greenStory, specLanes } from '../world/crew.ts'
import { play, statesOf } from '../world/crew-script.ts'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  greenLanes,
  plan,
  resultOf,
} from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const run = (command: string) => call('run_command', { command })

/**
 * The editor submits a red change, continues, and reaches its limit with another change and an
 * untracked file in the workspace.
 */
const stuckLanes = {
  'editor/task/PLANNING': [plan()],
  'editor/task/CODING': [
    run('echo one > value.txt'),
    change('One'),
    run('echo two > value.txt; echo mine > notes.txt'),
  ],
}

async function stuckTask(): Promise<string> {
  fixture = await createFixture({ config: { editor: { coding_iterations: 3 } } })
  const model = await fixture.replay(stuckLanes)
  const result = resultOf(await fixture.drydock('task', 'Say new', '--model', model, '--json'))
  expect(result.status).toBe('STUCK')
  return String(result.run)
}

interface SnapshotList {
  readonly type: string
  readonly snapshots: readonly { readonly n: number; readonly why: string; readonly files: number }[]
  readonly set_aside: readonly string[]
}

const listed = ({ events }: CommandResult) => events.at(-1) as unknown as SnapshotList

const mirror = async () => join((await fixture.open()).state, 'mirror.git')

/** Makes everything stored as old as possible. */
async function age(): Promise<void> {
  const dir = `--git-dir=${await mirror()}`
  const who = { NAME: 'Drydock', EMAIL: 'drydock@localhost', DATE: '2020-01-01T00:00:00Z' }
  const dated = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ])
  const refs = await fixture.git(dir, 'for-each-ref', '--format=%(refname) %(tree) %(parent)', 'refs/drydock/')
  for (const line of refs.split('\n')) {
    const [ref = '', tree = '', ...parents] = line.split(' ')
    const message = await fixture.git(dir, 'show', '-s', '--format=%s', ref)
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message]
    const env = { ...process.env, ...Object.fromEntries(dated) }
    const old = execFileSync('git', [dir, ...args], { env, encoding: 'utf8' }).trim()
    await fixture.git(dir, 'update-ref', ref, old)
  }
}

const hiddenRefs = async () =>
  (await fixture.git(`--git-dir=${await mirror()}`, 'for-each-ref', '--format=%(refname)', 'refs/drydock/'))
    .split('\n')
    .filter(Boolean)

describe('drydock restore', () => {
  test('says where that lies which no snapshot can hold', async () => {
    fixture = await createFixture({ config: { editor: { coding_iterations: 1 } } })
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [run('git init -q inner && echo deep > inner/file && echo kept > kept.txt')],
    }
    const model = await fixture.replay(lanes)
    const task = resultOf(await fixture.drydock('task', 'Say new', '--model', model, '--json'))
    expect(task.status).toBe('STUCK')
    const restored = await fixture.drydock('restore', 'task', '--branch', 'back', '--json')
    const [folder = ''] = listed(restored).set_aside
    expect(readdirSync(folder, { recursive: true })).toEqual(
      expect.arrayContaining(['1/inner/.git.set-aside/HEAD.set-aside']),
    )
    expect(await fixture.git('show', 'back:inner/file')).toBe('deep')
    expect((await fixture.drydock('restore', 'task', '--list')).stdout).toContain(folder)
  })
})

describe('gc', () => {
  test('never drops the last snapshot of a story that is not merged: stuck it keeps all, given up the last', async () => {
    const id = await stuckTask()
    await age()
    const all = await hiddenRefs()
    await fixture.drydock('gc')
    expect(await hiddenRefs()).toEqual(all)
    await fixture.drydock('cancel', id)
    await age()
    await fixture.drydock('gc')
    expect(await hiddenRefs()).toEqual([`refs/drydock/snapshots/${id}/task/3`])
    await fixture.git(`--git-dir=${await mirror()}`, 'gc', '-q', '--prune=now')
    await fixture.drydock('restore', 'task', '--branch', 'back')
    expect(await fixture.git('show', 'back:notes.txt')).toBe('mine')
    expect(await fixture.git('show', 'back:value.txt')).toBe('two')
  })

  test('drops all that was kept of a merged story once it is old, and says then where its change is', async () => {
    fixture = await createCrewFixture()
    const built = await play(fixture, { lanes: { ...specLanes('a'), ...greenStory('a') } })
    expect(statesOf(built)).toEqual({ a: 'DONE' })
    const { run: id, branch } = resultOf(built)
    const before = await hiddenRefs()
    await fixture.drydock('gc')
    expect(await hiddenRefs()).toEqual(before)
    const aside = join((await fixture.open()).state, 'set-aside', `refs/drydock/snapshots/${id}/a/1/1`)
    execFileSync('mkdir', ['-p', aside])
    await age()
    const collected = await fixture.drydock('gc', '--json')
    expect(collected.events.at(-1)?.refs).toEqual(before)
    expect(await hiddenRefs()).toEqual([])
    expect(existsSync(aside)).toBe(false)
    const gone = await fixture.drydock('restore', 'a', '--json')
    expect(gone.events.at(-1)).toMatchObject({
      message: `The snapshots of ${id}/a no longer exist: its change is on the branch ${branch}.`,
    })
    expect(await fixture.git('show', `${branch}:a.txt`)).toBe('a')
    await fixture.git(`--git-dir=${await mirror()}`, 'gc', '-q', '--prune=now')
    expect((await fixture.drydock('diff', `${id}/a`, '--json')).events.at(-1)).toMatchObject({
      code: 'not_found',
      message: 'Drydock no longer keeps this change: its story ended long ago.',
    })
  })

  test('keeps the change that a dry run has shown, which is on no branch', async () => {
    fixture = await createFixture()
    const model = await fixture.replay(greenLanes)
    expect((await fixture.drydock('task', 'Say new', '--dry-run', '--model', model)).exitCode).toBe(0)
    await age()
    await fixture.drydock('gc')
    await fixture.drydock('restore', 'task', '--branch', 'back')
    expect(await fixture.git('show', 'back:value.txt')).toBe('new')
  })
  test('removes the locks that a killed git has left, and none that a git may hold', async () => {
    fixture = await createFixture()
    const model = await fixture.replay(greenLanes)
    expect((await fixture.drydock('task', 'Say new', '--model', model)).exitCode).toBe(0)
    const lock = async (ref: string, minutes: number) => {
      const file = join(await mirror(), `${ref}.lock`)
      await mkdir(dirname(file), { recursive: true })
      await writeText(file, '')
      const then = new Date(Date.now() - minutes * 60_000)
      await utimes(file, then, then)
      return file
    }
    const followed = await lock('refs/heads/drydock/say-new', 0)
    const pushed = await lock('refs/drydock/snapshots/left', 2)
    const held = await lock('refs/drydock/snapshots/held', 0)
    expect((await fixture.drydock('gc')).exitCode).toBe(0)
    expect([followed, pushed, held].map((file) => existsSync(file))).toEqual([false, false, true])
  })
})
