import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { worldOfTest, writeFiles } from './git-world.ts'
import { theWholeWay, wentWell } from './whole-way.ts'

describe('the user’s repository may be', () => {
  test('a linked worktree', async () => {
    const made = worldOfTest()
    const linked = join(made.top, 'linked ü')
    made.git('worktree', 'add', '--quiet', '-b', 'side', linked)
    writeFiles(linked, { 'only-here.txt': 'x' })
    made.gitIn(linked, 'add', '--all')
    made.gitIn(linked, 'commit', '--quiet', '--message', 'on the side')
    expect(await theWholeWay(made, linked)).toEqual({ ...wentWell, branch: 'side' })
    expect(made.git('status', '--porcelain')).toBe('')
  })

  test('on a detached HEAD that no branch reaches', async () => {
    const made = worldOfTest()
    made.git('checkout', '--quiet', '--detach')
    made.commitAll('on no branch')
    expect(await theWholeWay(made, made.repository)).toEqual({ ...wentWell, branch: null })
  })

  test('one that borrows its objects from another', async () => {
    const made = worldOfTest()
    const borrower = join(made.top, 'borrower')
    made.gitIn(made.top, 'clone', '--quiet', '--shared', made.repository, borrower)
    expect(await theWholeWay(made, borrower)).toEqual(wentWell)
  })

  test('one with SHA-256 objects', async () => {
    const made = worldOfTest({ 'README.md': 'one\n' }, ['--object-format=sha256'])
    expect(await theWholeWay(made, made.repository)).toEqual(wentWell)
  })
})
