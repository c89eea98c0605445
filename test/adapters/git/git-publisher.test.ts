import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { at, makeReadyWorld, writeFiles } from './git-world.ts'

const ref = 'refs/notes/drydock'

/** Two commits that only the mirror has, the second after the first. */
async function made() {
  const world = await makeReadyWorld()
  onTestFinished(() => world.close())
  const change = async (content: string, ...more: [string?, null?, string?]) => {
    writeFiles(world.workspace, { 'README.md': content })
    const kept = await world.snapshot(...more)
    if (!kept.ok) throw new Error(kept.reason)
    return kept.snapshot.sha
  }
  const first = await change('two\n')
  const second = await change('three\n', 'refs/drydock/story/2', null, first)
  const hook = `#!/bin/sh\ntouch '${join(world.top, 'ran')}'\nexit 1\n`
  const names = [
    ...['reference-transaction', 'post-checkout', 'pre-push', 'post-merge', 'pre-auto-gc', 'post-rewrite'],
    ...['prepare-commit-msg', 'commit-msg', 'post-commit'],
  ]
  return {
    ...{ ...world, first, second },
    note: (text: string, of = first) => world.publisher.note({ sha: of, text, at }),
    plantHooks() {
      const folder = join(world.repository, '.git', 'hooks')
      mkdirSync(folder, { recursive: true })
      for (const name of names) writeFileSync(join(folder, name), hook, { mode: 0o755 })
    },
  }
}

test('what is handed over is whole, and runs none of the user’s hooks', async () => {
  const { publisher, top, first, second, plantHooks, git } = await made()
  plantHooks()
  await publisher.publish('drydock/x', first, null)
  await publisher.advance('drydock/x', second, first)
  expect(readdirSync(top)).not.toContain('ran')
  expect(git('rev-parse', 'drydock/x')).toBe(second)
  expect(git('fsck', '--full')).toBe('')
})

test('the commands of an error mend a branch that somebody moved or removed', async () => {
  const { publisher, git, first, second, tip } = await made()
  await publisher.publish('drydock/x', first, null)
  const mend = async () => {
    const { todo } = await publisher.publish('drydock/x', second, first).catch((error) => error)
    for (const command of todo.split(' && ').filter((one: string) => one.startsWith('git ')))
      git(...command.split(' ').slice(1))
  }
  git('branch', '--force', 'drydock/x', tip)
  await mend()
  expect(git('rev-parse', 'drydock/x', 'drydock/x-mine').split('\n')).toEqual([first, tip])
  git('branch', '--delete', '--force', 'drydock/x')
  await mend()
  await publisher.publish('drydock/x', second, first)
  expect(git('rev-parse', 'drydock/x')).toBe(second)
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

test('a branch that is another name of a branch does not move that one', async () => {
  const { publisher, git, first, second } = await made()
  await publisher.publish('drydock/x', first, null)
  git('branch', 'mine', first)
  git('symbolic-ref', 'refs/heads/drydock/x', 'refs/heads/mine')
  await publisher.publish('drydock/x', second, first)
  expect(git('rev-parse', 'mine', 'drydock/x').split('\n')).toEqual([first, second])
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

test('a lock that a killed git has left in the mirror is no obstacle to a note', async () => {
  const { note, git, state, first } = await made()
  await note('first\n')
  writeFileSync(join(state, 'mirror.git', `${ref}.lock`), '')
  await note('second\n')
  expect(git('notes', `--ref=${ref}`, 'show', first)).toBe('second')
})

test('where a note cannot be written, git says why', async () => {
  const { note, repository } = await made()
  const inTheWay = join(repository, '.git', ref, 'in', 'the', 'way')
  mkdirSync(inTheWay, { recursive: true })
  writeFileSync(join(inTheWay, 'x.lock'), '')
  await expect(note('ours\n')).rejects.toMatchObject({ code: 'git_failed', message: expect.stringContaining(ref) })
})
