import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { at } from './git-world.ts'
import { made } from './publisher-world.ts'

const ref = 'refs/notes/drydock'

test('what is handed over is whole, and runs none of the user’s hooks', async () => {
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

test('what came with a receipt is handed over again when the user has removed it', async () => {
  const { publisher, note, git, first } = await made()
  await note('ours\n')
  expect(git('cat-file', '-t', first)).toBe('commit')
  git('prune', '--expire=now')
  expect(() => git('cat-file', '-t', first)).toThrow()
  await publisher.publish('drydock/x', first, null)
  expect(git('rev-parse', 'drydock/x')).toBe(first)
  expect(git('fsck', '--full')).toBe('')
})

test('what came with a receipt and is gone is handed over again for a branch that moves, checked out or not', async () => {
  const { publisher, note, git, first, second, tip } = await made()
  git('branch', 'aside')
  await note('ours\n')
  git('prune', '--expire=now')
  await publisher.advance('aside', first, tip)
  expect(git('rev-parse', 'aside')).toBe(first)
  await note('ours\n', second)
  git('prune', '--expire=now')
  await publisher.advance('main', second, tip)
  expect(git('rev-parse', 'HEAD')).toBe(second)
  expect(git('status', '--porcelain')).toBe('')
  expect(git('fsck', '--full')).toBe('')
})

test('a note among very many, which git keeps in folders, is found and not made again', async () => {
  const { note, repository, environment, git, first, second } = await made()
  const lines = Array.from({ length: 2_000 }, (_, i) => {
    const sha = createHash('sha1').update(`${i}`).digest('hex')
    return `M 100644 inline ${sha.slice(0, 2)}/${sha.slice(2)}\ndata 2\nx\n`
  })
  const head = `commit ${ref}\ncommitter A <a@b> 1 +0000\ndata 1\nm\n`
  execFileSync('git', ['fast-import', '--quiet'], {
    ...{ cwd: repository, env: environment },
    input: `${head}${lines.join('')}`,
  })
  expect(git('ls-tree', '--name-only', ref).split('\n')[0]).toMatch(/^[0-9a-f]{2}$/)
  await note('ours\n')
  await note('of another\n', second)
  const place = git('rev-parse', ref)
  await note('ours\n')
  expect(git('rev-parse', ref)).toBe(place)
  await note('changed\n')
  expect(git('notes', `--ref=${ref}`, 'show', first)).toBe('changed')
  expect(git('notes', `--ref=${ref}`, 'show', second)).toBe('of another')
})
