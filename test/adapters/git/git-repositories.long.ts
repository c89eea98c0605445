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

describe('the user’s repository may be', () => {
  test('a shallow clone', async () => {
    const made = worldOfTest()
    for (const message of ['two', 'three']) made.commitAll(message)
    const shallow = join(made.top, 'shallow')
    made.gitIn(made.top, 'clone', '--quiet', '--depth=1', `file://${made.repository}`, shallow)
    expect(await theWholeWay(made, shallow)).toEqual(wentWell)
    expect(made.gitIn(shallow, 'rev-list', '--count', 'HEAD')).toBe('1')
  })
})

test('pointers to Git LFS are counted in a commit whose attributes speak of LFS', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n'
  const { history, workTrees, userRepository, repository, git, commitAll, signal } = worldOfTest({
    'a.bin': pointer,
    'b/c ü.bin': pointer,
  })
  await workTrees.initialize([])
  const count = async () => {
    await userRepository.updateMirror(signal)
    return history.lfsPointers(git('rev-parse', 'HEAD'))
  }
  expect(await count()).toBe(0)
  const guide = `A pointer starts with:\n  ${pointer}`
  writeFiles(repository, { 'b/.gitattributes': '*.bin filter=lfs -text\n', 'guide.md': guide, 'd.bin': 'plain' })
  commitAll()
  expect(await count()).toBe(2)
})
