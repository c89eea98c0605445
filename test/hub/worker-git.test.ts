import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { at, writeFiles } from '../adapters/git/git-world.ts'
import { type ControlWorld, controlWorld } from './control-world.ts'

const story = 'run-1/alpha'
const snapshots = `refs/drydock/snapshots/${story}/`

/** A worker with one prepared workspace; `keep` stores its snapshot under a ref. */
async function atWork(world: ControlWorld, host: string, more: Parameters<ControlWorld['worker']>[1] = {}) {
  const worker = await world.worker(host, more)
  const slot = `${host.replace('/', '-')}-001`
  await worker.workTrees.initialize([slot])
  await worker.workTrees.prepare({ slot, tip: world.tip }, world.signal)
  const workspace = worker.workTrees.path(slot)
  const keep = async (ref: string, files: Readonly<Record<string, string>> = {}) => {
    writeFiles(workspace, files)
    const input = { slot, parents: [world.tip], ref, last: null, message: 'kept', at }
    const kept = await worker.workTrees.snapshot(input, world.signal)
    if (!kept.ok) throw new Error(kept.reason)
    return kept.snapshot
  }
  return { ...worker, slot, workspace, keep }
}

test('a worker prepares a workspace from the hub, and its snapshot is at the hub when the call returns', async () => {
  const world = await controlWorld({ 'README.md': 'one\n', 'src/a.ts': 'a\n' })
  world.git('tag', 'v1')
  world.hold('north', story)
  const north = await atWork(world, 'north')
  expect(readFileSync(join(north.workspace, 'README.md'), 'utf8')).toBe('one\n')
  expect(world.gitIn(north.workspace, 'tag')).toBe('v1')
  const { sha } = await north.keep(`${snapshots}1`, { 'README.md': 'two\n' })
  expect(world.at(`${snapshots}1`)).toBe(sha)

  // The hub commits on top of the snapshot, and the worker reads that commit by its id.
  const tree = await world.history.tree(sha)
  const merging = { tree, parents: [world.tip, sha], message: 'merged', ref: 'refs/drydock/merges/run-1/alpha/1', at }
  const merged = await world.history.commit(merging)
  expect(await north.history.isAncestor(sha, merged)).toBe(true)
  expect(await north.history.changedFiles(world.tip, merged)).toEqual([{ path: 'README.md', status: 'modified' }])
})

test('the token is in no file of the worker and on no command line', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const [bin, log] = [join(world.top, 'bin'), join(world.top, 'commands.log')]
  mkdirSync(bin)
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\nPATH='${process.env.PATH}' exec git "$@"\n`
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  const north = await atWork(world, 'north', { path: `${bin}:${process.env.PATH}` })
  await north.keep(`${snapshots}1`, { 'README.md': 'two\n' })
  const said = readFileSync(log, 'utf8')
  expect(said).toMatch(/ push .*\/git /)
  expect(said).not.toContain(north.token)
  const files = readdirSync(north.state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(20)
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name)).includes(north.token), name).toBe(false)
})
