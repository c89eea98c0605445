import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeFiles } from '../adapters/git/git-world.ts'
import { ready, taken } from './made-world.ts'

describe('publish', () => {
  test('makes the branch in the user’s repository, again without effect', async () => {
    const { publisher, workspace, snapshot, git } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    await publisher.publish('drydock/x', sha, null)
    await publisher.publish('drydock/x', sha, null)
    expect(git('rev-parse', 'drydock/x')).toBe(sha)
    expect(git('show', 'drydock/x:README.md')).toBe('two')
    expect(git('status', '--porcelain')).toBe('')
    expect(git('fsck', '--full')).toBe('')
  })

  test('a branch that is elsewhere stays there, even one that could be fast-forwarded', async () => {
    const { publisher, workspace, snapshot, git, tip } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    git('branch', 'drydock/x')
    await expect(publisher.publish('drydock/x', sha, null)).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining(tip),
    })
    expect(git('rev-parse', 'drydock/x')).toBe(tip)
  })

  test('a check says what would happen, and changes nothing', async () => {
    const { publisher, workspace, snapshot, git } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    expect(await publisher.check('drydock/x', sha, null)).toBe(false)
    expect(git('for-each-ref', 'refs/heads/drydock/')).toBe('')
    await publisher.publish('drydock/x', sha, null)
    expect(await publisher.check('drydock/x', sha, null)).toBe(true)
    git('branch', 'drydock/y')
    await expect(publisher.check('drydock/y', sha, null)).rejects.toMatchObject({ code: 'git_failed' })
  })

  test('two at once agree', async () => {
    const { publisher, workspace, snapshot, git } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    await Promise.all([1, 2, 3].map(() => publisher.publish('drydock/x', sha, null)))
    expect(git('rev-parse', 'drydock/x')).toBe(sha)
  })

  /** The branch is at `first`; `second` comes after it. */
  async function published() {
    const made = await ready()
    writeFiles(made.workspace, { 'README.md': 'two\n' })
    const { sha: first } = await taken(made.snapshot())
    writeFiles(made.workspace, { 'README.md': 'three\n' })
    const { sha: second } = await taken(made.snapshot('refs/drydock/story/2', null, first))
    await made.publisher.publish('drydock/x', first, null)
    return { ...made, first, second }
  }

  test('takes a branch that is checked out forwards with its files, and refuses what is changed there or somewhere else', async () => {
    const { publisher, git, first, second, tip, repository } = await published()
    git('switch', '-q', 'drydock/x')
    writeFiles(repository, { 'README.md': 'mine\n' })
    await expect(publisher.advance('drydock/x', second, first)).rejects.toMatchObject({ code: 'apply_refused' })
    expect(git('rev-parse', 'drydock/x')).toBe(first)
    git('checkout', '-q', '--', 'README.md')
    await expect(publisher.advance('drydock/x', second, tip)).rejects.toMatchObject({ code: 'branch_moved' })
    await publisher.advance('drydock/x', second, first)
    await publisher.advance('drydock/x', second, first)
    expect(git('rev-parse', 'drydock/x')).toBe(second)
    expect(git('status', '--porcelain')).toBe('')
    await expect(publisher.advance('drydock/none', second, first)).rejects.toMatchObject({ code: 'branch_moved' })
  })

  test('moves a branch on from exactly the commit that is named, again without effect', async () => {
    const { publisher, git, first, second, tip } = await published()
    await publisher.publish('drydock/x', second, first)
    await publisher.publish('drydock/x', second, first)
    expect(git('rev-parse', 'drydock/x', 'HEAD').split('\n')).toEqual([second, tip])
    expect(git('show', 'drydock/x:README.md')).toBe('three')
    expect(git('status', '--porcelain')).toBe('')
    await publisher.publish('drydock/x', tip, second)
    expect(git('rev-parse', 'drydock/x')).toBe(tip)
  })

  test('a branch that somebody moved or removed is left as it is, with the commands that mend it', async () => {
    const { userRepository, publisher, repository, git, first, second, tip } = await published()
    git('branch', '--force', 'drydock/x', tip)
    const moved = await publisher.publish('drydock/x', second, first).catch((error) => error)
    expect(moved).toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining(`to ${tip}. Drydock left it at ${first}`),
    })
    expect(git('rev-parse', 'drydock/x')).toBe(tip)
    git('branch', '--delete', '--force', 'drydock/x')
    const gone = await publisher.publish('drydock/x', second, first).catch((error) => error)
    expect(gone).toMatchObject({ code: 'git_failed', message: expect.stringContaining('no longer exists') })
    expect(await userRepository.branches('drydock/')).toEqual([])

    const mend = (todo: string) => {
      for (const command of todo.split(' && ').filter((one) => one.startsWith('git ')))
        git(...command.split(' ').slice(1))
    }
    mend(gone.todo)
    await publisher.publish('drydock/x', second, first)
    git('update-ref', 'refs/heads/drydock/x', tip)
    git('checkout', '--quiet', 'drydock/x')
    await expect(publisher.publish('drydock/x', second, first)).rejects.toMatchObject({
      message: moved.message,
      todo: `git -C ${JSON.stringify(repository)} switch --detach && ${moved.todo}`,
    })
    git('switch', '--quiet', '--detach')
    mend(moved.todo)
    await publisher.publish('drydock/x', second, first)
    expect(git('rev-parse', 'drydock/x', 'drydock/x-mine').split('\n')).toEqual([second, tip])
  })

  test('a branch that is checked out is not moved, in the repository or in a work tree of it', async () => {
    const { publisher, repository, top, git, first, second } = await published()
    const refused = (folder: string) => ({
      code: 'git_failed',
      message: expect.stringContaining(`checked out in ${folder}`),
      todo: expect.stringMatching(/another branch.*drydock resume/),
    })
    git('checkout', '--quiet', 'drydock/x')
    await expect(publisher.publish('drydock/x', second, first)).rejects.toMatchObject(refused(repository))
    await publisher.publish('drydock/x', first, null)
    git('checkout', '--quiet', 'main')
    git('worktree', 'add', '--quiet', join(top, 'tree'), 'drydock/x')
    await expect(publisher.publish('drydock/x', second, first)).rejects.toMatchObject(refused(join(top, 'tree')))
    expect(git('rev-parse', 'drydock/x')).toBe(first)
    git('-C', join(top, 'tree'), 'checkout', '--quiet', '--detach')
    await publisher.publish('drydock/x', second, first)
    expect(git('rev-parse', 'drydock/x')).toBe(second)
  })

  test('a branch that is another name of a branch does not move that one', async () => {
    const { publisher, git, first, second } = await published()
    git('branch', 'mine', first)
    git('symbolic-ref', 'refs/heads/drydock/x', 'refs/heads/mine')
    await publisher.publish('drydock/x', second, first)
    expect(git('rev-parse', 'mine', 'drydock/x').split('\n')).toEqual([first, second])
  })

  test('two that move it at once agree, and one that comes with another commit is refused', async () => {
    const { publisher, git, first, second, tip } = await published()
    const moves = [second, second, tip].map((sha) => publisher.publish('drydock/x', sha, first))
    const [one, two, other] = await Promise.allSettled(moves)
    const now = git('rev-parse', 'drydock/x')
    expect([one?.status, two?.status]).toEqual(Array(2).fill(now === second ? 'fulfilled' : 'rejected'))
    expect(other?.status).toBe(now === tip ? 'fulfilled' : 'rejected')
    expect([second, tip]).toContain(now)
  })

  test('runs none of the user’s hooks', async () => {
    const { publisher, repository, top, snapshot, workspace, git } = await ready()
    const hook = `#!/bin/sh\ntouch '${join(top, 'ran')}'\nexit 1\n`
    for (const name of ['reference-transaction', 'post-checkout', 'pre-push', 'post-merge', 'pre-auto-gc'])
      writeFileSync(join(repository, '.git', 'hooks', name), hook, { mode: 0o755 })
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    await publisher.publish('drydock/x', sha, null)
    expect(readdirSync(top)).not.toContain('ran')
    expect(git('rev-parse', 'drydock/x')).toBe(sha)
  })
})
