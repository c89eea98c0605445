import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { at } from './git-world.ts'
import { made } from './publisher-world.ts'

const ref = 'refs/notes/drydock'

test('a published commit is complete, and runs none of the user’s hooks', async () => {
  const { publisher, top, first, second, plantHooks, git } = await made()
  plantHooks()
  await publisher.publish('drydock/x', first, null)
  await publisher.advance('drydock/x', second, first)
  expect(readdirSync(top)).not.toContain('ran')
  expect(git('rev-parse', 'drydock/x')).toBe(second)
  expect(git('fsck', '--full')).toBe('')
})

test('a branch that another work tree has checked out is not moved', async () => {
  const { publisher, top, git, first, second } = await made()
  await publisher.publish('drydock/x', first, null)
  git('worktree', 'add', '--quiet', join(top, 'tree'), 'drydock/x')
  await expect(publisher.publish('drydock/x', second, first)).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining(`checked out in ${join(top, 'tree')}`),
  })
  git('-C', join(top, 'tree'), 'checkout', '--quiet', '--detach')
  await publisher.publish('drydock/x', second, first)
  expect(git('rev-parse', 'drydock/x')).toBe(second)
})

test('a note is by Drydock at its date, once, in mirror and repository, whatever hooks and settings there are', async () => {
  const { note, plantHooks, repository, state, environment, gitIn, top, git, first, tip } = await made()
  plantHooks()
  git('config', 'core.editor', `touch '${join(top, 'ran')}'`)
  git('config', 'core.notesRef', 'refs/notes/other')
  await note('ours\n')
  const place = git('rev-parse', ref)
  await note('ours\n')
  expect(gitIn(join(state, 'mirror.git'), 'rev-parse', ref)).toBe(place)
  expect(git('log', '--format=%H %an %ad %cd', '--date=unix', ref)).toBe(
    `${place} Drydock ${+at / 1_000} ${+at / 1_000}`,
  )
  const other = createGitPorts({ repository, state, environment }).publisher
  await Promise.all([other.note({ sha: tip, text: 'tip\n', at }), note('tip\n', tip)])
  expect(git('rev-list', '--count', ref)).toBe('2')
  expect(git('notes', `--ref=${ref}`, 'show', first)).toBe('ours')
  expect(git('fsck', '--full', '--no-dangling')).toBe('')
  expect(existsSync(join(top, 'ran'))).toBe(false)
})

test('a commit that came with a receipt is handed over again after the user has removed it', async () => {
  const { publisher, note, git, first } = await made()
  await note('ours\n')
  expect(git('cat-file', '-t', first)).toBe('commit')
  git('prune', '--expire=now')
  expect(() => git('cat-file', '-t', first)).toThrow()
  await publisher.publish('drydock/x', first, null)
  expect(git('rev-parse', 'drydock/x')).toBe(first)
  expect(git('fsck', '--full')).toBe('')
})
