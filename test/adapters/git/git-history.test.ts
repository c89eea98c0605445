import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { userPath } from '../../../src/adapters/git/raw-path.ts'
import { makeReadyWorld } from './git-world.ts'

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

test('no index stays: after a tree is made or failed, nor after a git and its owner were killed', async () => {
  const { history, workTrees, state, tip } = await ready()
  const trees = join(state, 'scratch/trees')
  await history.treeWith({ base: tip, from: tip, paths: [] })
  await expect(history.treeWith({ base: 'gone', from: 'gone', paths: [] })).rejects.toThrow()
  expect(readdirSync(trees)).toEqual([])
  mkdirSync(join(trees, 'killed'))
  writeFileSync(join(trees, 'killed/index.lock'), '')
  await workTrees.initialize([])
  expect(readdirSync(join(state, 'scratch'))).toEqual([])
})
