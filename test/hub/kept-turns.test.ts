import { expect, onTestFinished, test } from 'vitest'
import type { Lane } from '../../src/domain/lane/lane.ts'
import { noProgress } from '../../src/domain/lane/progress.ts'
import { lookRef } from '../../src/domain/run/kept-work.ts'
import type { Story } from '../../src/domain/story/story.ts'
import { createKeptTurns } from '../../src/workflow/lane/kept-turns.ts'
import { newerLook } from '../../src/workflow/story/look.ts'
import { writeFiles } from '../adapters/git/git-world.ts'
import { controlWorld } from './control-world.ts'

const id = 'run-1/alpha'

test('each turn that changed files is at the hub beside the next model call, and another host goes on from there', async () => {
  const world = await controlWorld({ 'README.md': 'one\n' })
  world.hold('north', id)
  const north = await world.worker('north')
  await north.workTrees.initialize(['coder-001'])
  await north.workTrees.prepare({ slot: 'coder-001', tip: world.tip }, world.signal)
  const workspace = north.workTrees.path('coder-001')
  const story = storyWith({ slot: 'coder-001', base: world.tip, lane: 'lane-1', snapshot: null })
  const failures: unknown[] = []
  let now = Date.parse('2026-11-03T10:00:00Z')
  const clock = { now: () => new Date(now), random: () => 0 }
  const store = { machineOf: async () => story } as never
  const turns = createKeptTurns({ workTrees: north.workTrees, store, clock: clock as never }, (error) => {
    failures.push(error)
  })
  onTestFinished(() => turns.end())
  const turn = async (edits: number, files: Readonly<Record<string, string>> = {}) => {
    now += 1_000
    writeFiles(workspace, files)
    turns.begin(laneWith(edits))
    await turns.end()
    return world.at(lookRef(id))
  }

  expect(await turn(0)).toBe('')
  const first = await turn(1, { 'README.md': 'two\n' })
  const asked = world.asked.length
  expect(await turn(1)).toBe(first)
  expect(world.asked).toHaveLength(asked)
  const second = await turn(2, { 'new.txt': 'new\n' })
  expect(second).not.toBe(first)

  world.hold('north')
  world.hold('south', id)
  const { history, workTrees } = await world.worker('south')
  await workTrees.initialize(['south-001'])
  const look = await newerLook({ history }, story)
  expect(look?.sha).toBe(second)
  await workTrees.prepare({ slot: 'south-001', tip: world.tip, ...(look && { tree: look.tree }) }, world.signal)
  expect(world.gitIn(workTrees.path('south-001'), 'status', '--porcelain')).toBe(' M README.md\n?? new.txt')
  // A lane that is not the one of the look, and a snapshot that is newer than it.
  expect(await newerLook({ history }, storyWith({ ...story.data, lane: 'lane-2' }))).toBe(null)
  const ref = `refs/drydock/snapshots/${id}/1`
  const late = { slot: 'south-001', parents: [world.tip], ref, last: null, message: 'kept', at: new Date(now + 5_000) }
  writeFiles(workTrees.path('south-001'), { 'late.txt': 'late\n' })
  const kept = await workTrees.snapshot(late, world.signal)
  const snapshot = kept.ok ? kept.snapshot : null
  expect(await newerLook({ history }, storyWith({ ...story.data, snapshot }))).toBe(null)

  // Whoever was given up is told, and keeps nothing.
  await turn(3, { 'README.md': 'too late\n' })
  expect(failures).toMatchObject([{ code: 'hub_refused' }])
  expect(world.at(lookRef(id))).toBe(second)
})

function storyWith(data: Partial<Story['data']>): Story {
  return {
    id,
    run: 'run-1',
    story: 'alpha',
    kind: 'story',
    state: 'CODING',
    version: 1,
    data: { merging: null, ...data },
  } as Story
}

function laneWith(edits: number): Lane {
  const progress = { ...noProgress, workspace: { ...noProgress.workspace, edits } }
  return {
    id: 'lane-1',
    run: 'run-1',
    story: 'alpha',
    kind: 'lane',
    state: 'ASKING',
    version: 1,
    data: { progress },
  } as Lane
}
