import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createGitWorkspaces } from '../../src/adapters/git/workspaces.ts'
import { at, makeReadyWorld, writeFiles } from '../adapters/git/git-world.ts'

const ref = 'refs/notes/drydock'

/** A commit that only the mirror has, and what the user's repository knows of notes. */
async function noted() {
  const world = await makeReadyWorld()
  onTestFinished(() => world.close())
  writeFiles(world.workspace, { 'README.md': 'two\n' })
  const made = await world.snapshot()
  if (!made.ok) throw new Error(made.reason)
  const { sha } = made.snapshot
  const { workspaces, git, gitIn, state } = world
  return {
    ...{ ...world, sha },
    note: (text: string, of = sha) => workspaces.note({ sha: of, text, at }),
    /** As git has it, to the byte. */
    shown: (of = sha) => git('cat-file', 'blob', git('notes', `--ref=${ref}`, 'list', of)),
    count: () => Number(git('rev-list', '--count', ref)),
    inMirror: (...args: string[]) => gitIn(join(state, 'mirror.git'), ...args),
  }
}

test('a note is in the mirror and in the user’s repository, with its commit, byte for byte', async () => {
  const { git, note, shown, sha, inMirror } = await noted()
  const text = '  {"a":\t1}  \n\n\n# no comment\n'
  await note(text)
  expect(`${shown()}\n`).toBe(text)
  expect(inMirror('rev-parse', ref)).toBe(git('rev-parse', ref))
  expect(git('cat-file', '-t', sha)).toBe('commit')
  expect(git('status', '--porcelain')).toBe('')
  expect(git('for-each-ref', '--format=%(refname)')).toBe(`refs/heads/main\n${ref}`)
  expect(git('fsck', '--full', '--no-dangling')).toBe('')
})

test('again it does nothing', async () => {
  const { note, git, count } = await noted()
  await note('first\n')
  const place = git('rev-parse', ref)
  await note('first\n')
  expect([git('rev-parse', ref), count()]).toEqual([place, 1])
  expect(git('log', '-1', '--format=%an %ad %cd', '--date=unix', ref)).toBe(`Drydock ${+at / 1_000} ${+at / 1_000}`)
})

test('another text takes its place: there is one note of a commit', async () => {
  const { note, shown, git } = await noted()
  await note('first\n')
  await note('second\n')
  expect(shown()).toBe('second')
  expect(git('notes', `--ref=${ref}`, 'list').split('\n')).toHaveLength(1)
})

test('notes that the user has stay, also those that came since', async () => {
  const { note, shown, git, tip, sha } = await noted()
  git('notes', `--ref=${ref}`, 'add', '-m', 'mine', tip)
  await note('ours\n')
  expect([shown(), shown(tip)]).toEqual(['ours', 'mine'])
  git('notes', `--ref=${ref}`, 'add', '-f', '-m', 'mine, later', tip)
  await note('ours, later\n')
  expect([shown(), shown(tip)]).toEqual(['ours, later', 'mine, later'])
  git('notes', `--ref=${ref}`, 'remove', sha)
  await note('ours, later\n')
  expect(shown()).toBe('ours, later')
})

test('notes that were removed with their ref come back from the mirror', async () => {
  const { note, shown, git, tip } = await noted()
  await note('first\n', tip)
  git('update-ref', '-d', ref)
  await note('second\n')
  expect([shown(tip), shown()]).toEqual(['first', 'second'])
})

test('many at once all stay, also those of another process', async () => {
  const { repository, state, environment, workspaces, tip, sha, shown, git } = await noted()
  const other = createGitWorkspaces({ repository, state, environment })
  await Promise.all([
    ...[workspaces, other].map((each) => each.note({ sha, text: 'ours\n', at })),
    ...[workspaces, other].map((each) => each.note({ sha: tip, text: 'tip\n', at })),
  ])
  expect([shown(), shown(tip)]).toEqual(['ours', 'tip'])
  expect(git('rev-list', '--count', ref)).toBe('2')
})

test('a lock that a killed git has left in the mirror is no obstacle', async () => {
  const { note, shown, state } = await noted()
  await note('first\n')
  writeFileSync(join(state, 'mirror.git', `${ref}.lock`), '')
  await note('second\n')
  expect(shown()).toBe('second')
})

test('no hook of the user runs, and none of the configuration of a note', async () => {
  const { note, shown, repository, top, git } = await noted()
  const hooks = join(repository, '.git', 'hooks')
  mkdirSync(hooks, { recursive: true })
  for (const name of ['reference-transaction', 'post-rewrite', 'prepare-commit-msg', 'commit-msg', 'post-commit']) {
    writeFileSync(join(hooks, name), `#!/bin/sh\ntouch '${join(top, 'ran')}'\n`)
    chmodSync(join(hooks, name), 0o755)
  }
  git('config', 'core.editor', `touch '${join(top, 'ran')}'`)
  git('config', 'core.notesRef', 'refs/notes/other')
  await note('ours\n')
  expect(shown()).toBe('ours')
  expect(existsSync(join(top, 'ran'))).toBe(false)
})

test('where a note cannot be written, git says why', async () => {
  const { note, repository } = await noted()
  mkdirSync(join(repository, '.git', 'refs', 'notes', 'drydock', 'in', 'the', 'way'), { recursive: true })
  writeFileSync(join(repository, '.git', 'refs', 'notes', 'drydock', 'in', 'the', 'way', 'x.lock'), '')
  await expect(note('ours\n')).rejects.toMatchObject({ code: 'git_failed', message: expect.stringContaining(ref) })
})
