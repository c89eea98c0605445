import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { at, writeFiles } from '../adapters/git/git-world.ts'
import { controlWorld } from './control-world.ts'

const story = 'run-1/alpha'

test('a worker prepares a workspace from the hub, and its snapshot is at the hub when the call returns', async () => {
  const world = await controlWorld({ 'README.md': 'one\n', 'src/a.ts': 'a\n' })
  const { tip, signal } = world
  world.hold('north', story)
  const { workTrees, history } = await world.worker('north')
  await workTrees.initialize(['north-001'])
  await workTrees.prepare({ slot: 'north-001', tip }, signal)
  const workspace = workTrees.path('north-001')
  expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('one\n')
  writeFiles(workspace, { 'README.md': 'two\n' })
  const ref = `refs/drydock/snapshots/${story}/1`
  const input = { slot: 'north-001', parents: [tip], ref, last: null, message: 'kept', at }
  const kept = await workTrees.snapshot(input, signal)
  if (!kept.ok) throw new Error(kept.reason)
  expect(world.at(ref)).toBe(kept.snapshot.sha)

  // The hub commits on top of it, and the worker reads that by its id.
  const tree = await world.history.tree(kept.snapshot.sha)
  const merged = await world.history.commit({
    ...{ tree, parents: [tip, kept.snapshot.sha], message: 'merged', ref: 'refs/drydock/merges/run-1/alpha/1', at },
  })
  expect(await history.isAncestor(kept.snapshot.sha, merged)).toBe(true)
  expect(await history.changedFiles(tip, merged)).toEqual([{ path: 'README.md', status: 'modified' }])
})
