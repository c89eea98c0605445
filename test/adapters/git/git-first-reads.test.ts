import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { at, makeWorld, type World, worldOfTest, writeFiles } from './git-world.ts'

/** The ports of another process, which has not read anything yet. */
const afresh = ({ repository, state, environment }: World) => createGitPorts({ repository, state, environment })

const deep = '.drydock/config.json'

describe.each([[[]], [['--object-format=sha256']]])('in a repository made with %o', (init) => {
  let made: World
  let sha: string
  beforeAll(() => {
    const files = { 'README.md': 'one\n', [deep]: '{}\n', 'a/b/ü .txt': 'deep\n', large: '0123456789' }
    made = makeWorld({ ...files, 'a\nb': 'a line too many\n' }, init)
    symlinkSync('README.md', join(made.repository, 'link'))
    symlinkSync('a', join(made.repository, 'linked'))
    sha = made.commitAll()
  })
  afterAll(() => made.close())
  test.each([
    ['README.md', 100, 'one\n'],
    [deep, 100, '{}\n'],
    ['a/b/ü .txt', 100, 'deep\n'],
    ['large', 4, '0123'],
    ['no-file', 100, null],
    ['no-folder/file', 100, null],
    ['README.md/file', 100, null],
    ['a/b', 100, null],
    ['link', 100, null],
    ['linked/b/ü .txt', 100, null],
    ['a\nb', 100, 'a line too many\n'],
  ])('the first file of a commit is read as any later one: %j', async (path, maxBytes, expected) => {
    const first = afresh(made).userRepository
    expect(await first.fileAt(sha, path, maxBytes)).toBe(expected)
    const later = afresh(made).userRepository
    await later.filesAt(sha, ['README.md', deep], 1)
    expect(await later.fileAt(sha, path, maxBytes)).toBe(expected)
    // The following reads use the entries that the first read has cached.
    const [readme, other, folder] = await first.filesAt(sha, ['README.md', 'no-file', 'a'], 100)
    expect(readme).toMatchObject({ size: 4 })
    expect([other, folder]).toEqual(['absent', 'not_a_file'])
    expect(await first.fileAt(sha, 'a/b/ü .txt', 100)).toBe('deep\n')
  })
})

test('names that are not UTF-8 are in nobody’s way', async () => {
  const made = worldOfTest({ 'README.md': 'one\n' })
  const blob = made.git('hash-object', '-w', 'README.md')
  const tree = made.gitIn(made.repository, 'rev-parse', 'HEAD^{tree}')
  const input = Buffer.concat([
    Buffer.from(`100644 blob ${blob}\tREADME.md\n100644 blob ${blob}\t`),
    Buffer.from([0xff, 0xfe, 0x0a]),
  ])
  const odd = execFileSync('git', ['mktree'], { cwd: made.repository, input }).toString().trim()
  expect(odd).not.toBe(tree)
  const sha = made.git('commit-tree', '-m', 'odd', odd)
  expect(await afresh(made).userRepository.fileAt(sha, 'README.md', 100)).toBe('one\n')
})

test('a commit that is not there is an error, and no empty commit', async () => {
  const made = worldOfTest()
  const { userRepository } = afresh(made)
  await expect(userRepository.fileAt('1'.repeat(40), 'README.md', 100)).rejects.toMatchObject({ code: 'git_failed' })
})

test('the mirror has a branch as soon as it is handed over, and follows what the user does to it', async () => {
  const made = worldOfTest()
  const { workTrees, userRepository, publisher, history, signal } = made
  await workTrees.initialize(['coder-001'])
  const { head, branches } = await userRepository.updateMirror(signal)
  expect([head, branches]).toEqual([made.git('rev-parse', 'HEAD'), ['main']])
  const parents = [head ?? '']
  const tree = await history.tree(parents[0] ?? '')
  const sha = await history.commit({ tree, parents, message: 'm', at, ref: 'refs/drydock/a' })
  await publisher.publish('drydock/x', sha, null)
  const mirror = join(made.state, 'mirror.git')
  const inMirror = () => made.gitIn(mirror, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/drydock')
  expect(inMirror()).toBe(`refs/heads/drydock/x ${sha}`)
  made.git('branch', '--move', 'drydock/x', 'mine')
  writeFiles(made.repository, { 'README.md': 'two\n' })
  const next = made.commitAll()
  const found = await userRepository.updateMirror(signal)
  expect({ ...found, branches: found.branches.toSorted() }).toEqual({ head: next, branches: ['main', 'mine'] })
  expect(inMirror()).toBe('')
  expect(made.gitIn(mirror, 'rev-parse', 'refs/heads/main', 'refs/heads/mine')).toBe(`${next}\n${sha}`)
})

test('a clone that agents get has the tags that the last update brought', async () => {
  const made = worldOfTest()
  const { workTrees, userRepository, signal } = made
  await workTrees.initialize(['coder-001'])
  const tip = (await userRepository.updateMirror(signal)).head ?? ''
  const tagsOf = async () => {
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    return made.gitIn(workTrees.path('coder-001'), 'tag', '--list')
  }
  expect(await tagsOf()).toBe('')
  made.git('tag', 'v1')
  await userRepository.updateMirror(signal)
  expect(await tagsOf()).toBe('v1')
  made.git('tag', '--delete', 'v1')
  await userRepository.updateMirror(signal)
  expect(await tagsOf()).toBe('')
})
