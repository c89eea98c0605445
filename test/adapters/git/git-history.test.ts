import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createGit } from '../../../src/adapters/git/git.ts'
import { walkTree } from '../../../src/adapters/git/history/walk-tree.ts'
import { oneByOne } from '../../../src/adapters/git/objects/one-by-one.ts'
import type { ReadObject } from '../../../src/adapters/git/objects/read-objects.ts'
import { userPath } from '../../../src/adapters/git/raw-path.ts'
import { at, makeReadyWorld } from './git-world.ts'

async function ready() {
  const world = await makeReadyWorld()
  onTestFinished(() => world.close())
  return world
}

test('a mirror that cannot be read is an error', async () => {
  const { history, tip, state } = await ready()
  rmSync(join(state, 'mirror.git'), { recursive: true })
  await expect(history.isAncestor(tip, tip)).rejects.toMatchObject({ code: 'git_failed' })
})

test('a mode that only an old git wrote is the one that git takes it for', async () => {
  const { history, userRepository, repository, tip, signal, git, environment } = await ready()
  const blob = git('rev-parse', 'HEAD:README.md')
  const entry = (mode: string, name: string) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, 'hex')]
  const input = Buffer.concat([...entry('100664', 'README.md'), ...entry('100775', 'run')])
  const args = ['hash-object', '--literally', '-w', '-t', 'tree', '--stdin']
  const tree = execFileSync('git', args, { cwd: repository, env: environment, input }).toString().trim()
  git('update-ref', 'HEAD', git('commit-tree', '-p', tip, '-m', 'm', tree))
  await userRepository.updateMirror(signal)
  const { sha } = await userRepository.target(null)
  expect(await history.changedFiles(tip, sha)).toEqual([{ path: 'run', status: 'added' }])
  expect(await history.contents(sha, ['run'])).toEqual({ run: `100755 blob ${blob}` })
})

test('a tree that names the same folder again and again is read once, and its walk ends', async () => {
  const { repository, git, environment, signal } = await ready()
  const tree = (line: string) => {
    const input = Array.from({ length: 10 }, (_, i) => `${line}\t${i}\n`).join('')
    return execFileSync('git', ['mktree'], { cwd: repository, env: environment, input }).toString().trim()
  }
  let sha = tree(`100644 blob ${git('rev-parse', 'HEAD:README.md')}`)
  for (let level = 1; level < 10; level += 1) sha = tree(`040000 tree ${sha}`)
  const read = oneByOne(createGit(environment as Record<string, string>), join(repository, '.git'))
  const asked: string[] = []
  const objects: ReadObject = (name, asking) => {
    asked.push(name)
    return read(name, asking)
  }
  const { files, isWhole } = await walkTree(objects, { sha, most: 100, signal })
  expect(asked).toHaveLength(10)
  expect(isWhole).toBe(false)
  expect(files.slice(0, 11).map(({ path }) => path)).toEqual([
    ...Array.from({ length: 10 }, (_, i) => `${'0/'.repeat(9)}${i}`),
    `${'0/'.repeat(8)}1/0`,
  ])
  expect(files.length).toBeLessThanOrEqual(100)
  expect(await walkTree(objects, { sha: 'HEAD', most: 1, signal })).toMatchObject({
    files: [{ path: 'README.md' }],
    isWhole: true,
  })
})

test('a tree takes a file whose name is not UTF-8', async () => {
  const { history, userRepository, repository, state, tip, signal, commitAll, gitIn } = await ready()
  writeFileSync(userPath(repository, '\xff.js'), 'x\n')
  const from = commitAll()
  await userRepository.updateMirror(signal)
  const paths = (await history.changedFiles(tip, from)).map(({ path }) => path)
  const tree = await history.treeWith({ base: tip, from, paths })
  const listed = gitIn(join(state, 'mirror.git'), '-c', 'core.quotePath=true', 'ls-tree', '--name-only', tree)
  expect(listed.split('\n')).toEqual(['README.md', '"\\377.js"'])
})

test('commits, trees and files are those that git makes, and pass its check', async () => {
  const { history, state, tip, gitIn } = await ready()
  const mirror = join(state, 'mirror.git')
  const tree = await history.treeWith({
    base: tip,
    from: tip,
    paths: [],
    files: ['a.b', 'a/c', 'a0', 'ü/n', 'README.md/x'].map((path) => ({ path, content: `${path}\n` })),
  })
  const listed = gitIn(mirror, '-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', tree)
  expect(listed.split('\n')).toEqual(['README.md/x', 'a.b', 'a/c', 'a0', 'ü/n'])
  for (const [name, message] of [
    ['Ann Ä. <x>', 'no end'],
    ['.: "Bo\\" ,', 'one\n\n\ntwo\n'],
  ] as const) {
    const author = { name, email: ' <a@b>\n' }
    const sha = await history.commit({ tree, parents: [tip, tip], message, at, author, ref: 'refs/drydock/a' })
    const date = `@${at.getTime() / 1_000} +0000`
    const who = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: author.email, GIT_AUTHOR_DATE: date }
    const made = execFileSync('git', ['commit-tree', tree, '-p', tip, '-F', '-'], {
      env: { PATH: process.env.PATH, ...who, ...drydock, GIT_COMMITTER_DATE: date, GIT_DIR: mirror },
      input: message,
    })
    expect(sha).toBe(made.toString().trim())
    expect(gitIn(mirror, 'rev-parse', 'refs/drydock/a')).toBe(sha)
  }
  expect(gitIn(mirror, 'fsck', '--strict', '--no-dangling', '--full')).toBe('')
  expect(readdirSync(join(mirror, 'objects')).filter((name) => name.startsWith('tmp'))).toEqual([])
})

test('a commit has a name, a message without zeros, and parents and a tree that are there', async () => {
  const { history, tip } = await ready()
  const tree = await history.tree(tip)
  const plain = { tree, parents: [tip], message: 'x\n', at, ref: 'refs/drydock/a' }
  for (const wrong of [
    { author: { name: ' . ', email: 'a@b' } },
    { message: 'a\0b' },
    { tree: tip },
    { parents: [tree] },
    { parents: ['1'.repeat(40)] },
  ])
    await expect(history.commit({ ...plain, ...wrong })).rejects.toMatchObject({ code: 'git_failed' })
})

const drydock = { GIT_COMMITTER_NAME: 'Drydock', GIT_COMMITTER_EMAIL: 'drydock@localhost' }
