import { execFile } from 'node:child_process'
import { readdir, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { Merge } from '../../../src/domain/merge/merge.ts'
import type { StateReader } from '../../../src/ports/store.ts'
import type { Hook } from '../world/hook.ts'
import { processesOf } from '../world/process.ts'
import type { Story } from './kill.ts'

/** The required result of a Run, whatever happened to its processes. */
export async function expectWeathered(
  { fixture, run, names }: Story & { readonly names: readonly string[] },
  hook: Hook,
): Promise<void> {
  const drydock = await fixture.open()
  const records = drydock.openRecords()
  try {
    const stories = await records.machines({ kind: 'story', run })
    expect(Object.fromEntries(stories.map(({ story, state }) => [story, state]))).toEqual(
      Object.fromEntries(names.map((name) => [name, 'DONE'])),
    )
    await expectOnce(records, run)
    await expectAnswered(records, run, hook)
    await expectMerged(fixture, records, { run, names })
    expect([await records.isIdle(run), await records.pendingCommands()]).toEqual([true, []])
    expect(await records.machines({ kind: 'notification', run, states: ['PENDING'] })).toEqual([])
  } finally {
    await records.close()
  }
  await expect.poll(() => processesOf(fixture.folder)).toEqual([])
  expect(await readFile('/proc/mounts', 'utf8')).not.toContain(fixture.folder)
  // A git that was killed together with its owner leaves the lock of a ref. Drydock removes the
  // lock once git can no longer hold it.
  const longAgo = new Date(Date.now() - 3_600_000)
  for (const lock of await locksIn(drydock.state)) await utimes(join(drydock.state, lock), longAgo, longAgo)
  expect((await fixture.drydock('gc')).exitCode).toBe(0)
  expect(await locksIn(drydock.state)).toEqual([])
  await expectKept(drydock.state, fixture)
}

/** Each turn of each lane was requested and stored exactly once. */
async function expectOnce(records: StateReader, run: string): Promise<void> {
  const events = await records.events({ run, after: 0, limit: 1_000_000 })
  const calls = events.filter((event) => event.type === 'model_call').map(({ data }) => `${data.lane} ${data.turn}`)
  expect(calls.toSorted()).toEqual([...new Set(calls)].toSorted())
  const stored = await records.modelCalls(run)
  expect(stored.map(({ lane, turn }) => `${lane.slice(run.length + 1)} ${turn}`).toSorted()).toEqual(calls.toSorted())
  for (const { id } of await records.machines({ kind: 'lane', run })) {
    const messages = await records.messages(id)
    const turns = messages.filter(({ role }) => role === 'assistant').length
    expect(stored.filter(({ lane, error }) => lane === id && error === null)).toHaveLength(turns)
  }
}

/** Each question was asked, announced and answered once. */
async function expectAnswered(records: StateReader, run: string, hook: Hook): Promise<void> {
  const chat = await records.chat({ run })
  const asked = chat.filter(({ post_type }) => post_type === 'escalate').map(({ id }) => id)
  const answered = chat.filter(({ post_type }) => post_type === 'reply').map(({ reply_to }) => reply_to)
  expect(asked.length).toBeGreaterThan(0)
  expect(answered.toSorted()).toEqual(asked.toSorted())
  // A post whose answer was lost with its process is repeated under the same key; a question may
  // also have been answered before its post.
  const keys = new Set(hook.posts.map(({ key }) => key))
  expect([...keys].every((key) => asked.some((id) => key === `${run}/${id}`))).toBe(true)
}

/**
 * One commit for each story, in a straight line, each of them exactly the verified commit, with its
 * receipt.
 */
async function expectMerged(
  fixture: Story['fixture'],
  records: StateReader,
  { run, names }: { readonly run: string; readonly names: readonly string[] },
): Promise<void> {
  const branch = 'drydock/weather-a-storm'
  const format =
    '%H %P %(trailers:key=Drydock-Story,valueonly,separator=) %(trailers:key=Verified-By,valueonly,separator=)'
  const commits = (await fixture.git('log', `--format=${format}`, `main..${branch}`))
    .split('\n')
    .map((line) => line.split(' '))
  expect(commits.map((commit) => commit[2]?.split('/').at(-1)).toSorted()).toEqual([...names].toSorted())
  for (const commit of commits) {
    expect(commit).toHaveLength(4)
    expect(await records.verification(commit[3] ?? '')).toMatchObject({ run, status: 'PASS', commitSha: commit[0] })
    const verified = await fixture.drydock('receipt', 'verify', commit[0] ?? '')
    expect(verified.exitCode, verified.stderr).toBe(0)
  }
  const merges = (await records.machines({ kind: 'merge', run })) as readonly Merge[]
  const merged = merges.filter(({ state }) => state === 'MERGED').map(({ story }) => story)
  expect(merged.toSorted()).toEqual([...names].toSorted())
  expect((await fixture.git('branch', '--list', 'drydock/*')).trim()).toBe(branch)
  expect([await fixture.git('status', '--porcelain'), await fixture.git('branch', '--show-current')]).toEqual([
    '',
    'main',
  ])
  const files = (await fixture.git('ls-tree', '--name-only', branch)).split('\n')
  expect(files).toEqual(expect.arrayContaining(names.map((name) => `${name}.txt`)))
  for (const name of names) expect(await fixture.git('show', `${branch}:${name}.txt`)).toBe(name)
}

/** Lock files of git that would block the next process. */
async function locksIn(state: string): Promise<readonly string[]> {
  const entries = await readdir(state, { recursive: true })
  return entries.filter(
    (path) => /(^|\/)[^/]+\.lock$/.test(path) && path !== 'owner.lock' && !path.startsWith('locks/'),
  )
}

/** Each workspace has the contents of a snapshot, of the base or of a commit on the branch. */
async function expectKept(state: string, fixture: Story['fixture']): Promise<void> {
  const mirror = join(state, 'mirror.git')
  const git = (...args: string[]) => fixture.git('--git-dir', mirror, ...args)
  const kept = new Set((await git('for-each-ref', '--format=%(tree)%(*tree)', 'refs/drydock/')).split('\n'))
  for (const commit of (await fixture.git('log', '--format=%T', '--all')).split('\n')) kept.add(commit)
  const slots = (await readdir(join(state, 'workspaces'))).filter((name) => !name.endsWith('.history'))
  for (const slot of slots) {
    const workTree = join(state, 'workspaces', slot)
    const index = join(fixture.folder, `${slot}.index`)
    const tree = await treeOf({ mirror, workTree, index })
    expect([slot, kept.has(tree)]).toEqual([slot, true])
  }
}

interface Place {
  readonly mirror: string
  readonly workTree: string
  readonly index: string
}

/** The tree that git would make of the work tree now. */
async function treeOf({ mirror, workTree, index }: Place): Promise<string> {
  const exclude = `core.excludesFile=${join(workTree, '.git/info/exclude')}`
  const env = { ...process.env, GIT_INDEX_FILE: index }
  const git = async (...args: string[]) => {
    const there = ['-c', exclude, '--git-dir', mirror, '--work-tree', workTree]
    return (await promisify(execFile)('git', [...there, ...args], { cwd: workTree, env })).stdout.trim()
  }
  await git('add', '--all', '.')
  return git('write-tree')
}
