import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture, resultOf, type Turns } from './world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch, type Running } from './world/process.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

function drydock(...args: string[]): Running {
  return launch([...args, '--repo', fixture.repo], { env: fixture.env })
}

/** A task that waits inside a command, and whose workspace git can no longer snapshot. */
async function startBlocked(lanes: Readonly<Record<string, Turns>>) {
  const model = await fixture.replay(lanes)
  const running = drydock('task', 'say new', '--json', '--model', model, '--max-coders', '1')
  await running.line(gateReached)
  const { state, workTrees } = await fixture.open()
  const gate = await findGate(workTrees.path('coder-001'))
  const inTheWay = join(state, 'slots', 'coder-001.git', 'snapshot.index')
  await rm(inTheWay, { force: true })
  await mkdir(inTheWay)
  return { running, gate, inTheWay }
}

describe('a workspace that cannot be kept', () => {
  test('stays as it is while its run is in ERROR, which names the cause', async () => {
    const coding = gatedLanes['editor/task/CODING'] ?? []
    const { running, gate, inTheWay } = await startBlocked({
      ...gatedLanes,
      'editor/task/CODING': coding.slice(0, -1),
    })
    await gate.open()
    const error = { code: 'replay_missing', message: expect.stringMatching(/could not be kept, .*EISDIR/) }
    expect(resultOf(await running.ended)).toMatchObject({ status: 'ERROR', error })
    await rm(inTheWay, { recursive: true })
    await fixture.replay(gatedLanes)
    expect(resultOf(await drydock('resume', '--json').ended)).toMatchObject({ status: 'DONE' })
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  })

  test('is told of when Drydock stops, with the cause', async () => {
    const { running, gate } = await startBlocked(gatedLanes)
    running.child.kill('SIGINT')
    await running.line(/"type":"paused"/)
    await gate.open()
    await running.ended
    const told = await drydock('log', '--json').ended
    expect(told.events.filter(({ type }) => type === 'unkept')).toMatchObject([
      { story: 'task', reason: expect.stringContaining('EISDIR') },
    ])
  })
})
