import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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

test('a lock that a killed git has left in the mirror is no obstacle to a note', async () => {
  const { note, git, state, first } = await made()
  await note('first\n')
  writeFileSync(join(state, 'mirror.git', `${ref}.lock`), '')
  await note('second\n')
  expect(git('notes', `--ref=${ref}`, 'show', first)).toBe('second')
})
