import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture, resultOf } from '../scenarios/world/fixture.ts'
import { type findGate, type ProcessEnd, processesOf, type Running } from '../scenarios/world/process.ts'
import { expectDone, tasksOn } from './processes-world.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const { drydock, startGated, startGreen } = tasksOn(() => fixture)

type Gate = Awaited<ReturnType<typeof findGate>>

/** Calls of the model, as `lane turn`, each with whether it was answered. */
async function turnsOf(run: string): Promise<string[]> {
  const records = (await fixture.open()).openRecords()
  const calls = (await records?.modelCalls(run)) ?? []
  await records?.close()
  return calls.map(({ lane, turn, error }) => `${lane.slice(run.length + 1)} ${turn} ${error ?? 'ok'}`)
}

describe('a process that is told to stop', () => {
  test('with Ctrl-C ends the running step, leaves the run paused and nothing running, and is resumed to its end', async () => {
    const first = await startGated()
    first.child.kill('SIGINT')
    const stopped = await expectStopped(first)
    expect(resultOf(stopped)).toMatchObject({ status: 'PAUSED', paused_by: 'user', run: first.run })
    expect(await turnsOf(first.run)).toEqual(['editor/task/PLANNING 0 ok', 'editor/task/CODING 0 ok'])
    expect((await drydock('status').ended).stdout).toMatch(/PAUSED[\s\S]*drydock resume/)
    expectDone(await drydock('resume', '--json').ended)
    expect(await turnsOf(first.run)).toHaveLength(4)
  })

  async function expectStopped({ ended, line, gate }: Running & { readonly gate: Gate }): Promise<ProcessEnd> {
    await line(/"type":"paused"/)
    await gate.open()
    const stopped = await ended
    expect(stopped).toMatchObject({ exitCode: 130, signal: null })
    expect(stopped.stderr).toContain('Continue with: drydock resume')
    const last = JSON.parse(stopped.stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>
    expect(last).toMatchObject({
      type: 'result',
      run: expect.any(String),
      branch: null,
      stories: [{ id: 'task' }],
      status: expect.stringMatching(/^(?:INTERRUPTED|PAUSED)$/),
      outcome: { code: last.status, tone: 'waiting' },
    })
    expect(await processesOf(fixture.folder)).toEqual([])
    return stopped
  }
})

test('a state that cannot be used is an error, and the process ends', async () => {
  const { state } = await fixture.open()
  await mkdir(state, { recursive: true })
  await writeFile(join(state, 'workspaces'), 'in the way')
  const ended = await (await startGreen('first')).ended
  expect(ended.exitCode).not.toBe(0)
  expect(ended.events.at(-1)).toMatchObject({ type: 'error' })
})
