import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Ended, type Fixture, type Running } from '../world/fixture.ts'
import { greenLanes, resultOf, type Turns } from './world/fixture.ts'
import { gatedLanes, gateReached } from './world/process.ts'

const follows = /Another drydock process works on this repository; following it/

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

let files = 0

/** Writes a replay file of its own for each task. */
async function model(lanes: Readonly<Record<string, Turns>>): Promise<string> {
  files += 1
  const file = join(fixture.folder, `replay-${files}.json`)
  await writeFile(file, JSON.stringify({ version: 1, lanes }))
  return `replay:${file}`
}

function drydock(...args: string[]): Running {
  return fixture.launch(args)
}

/** A task in a process of its own that waits inside a command. */
async function startGated(...args: string[]) {
  const running = drydock('task', 'first', '--json', '--model', await model(gatedLanes), '--max-coders', '1', ...args)
  const run = JSON.parse(await running.line(/"type":"run"/)).run as string
  await running.line(gateReached)
  return { ...running, run, gate: await fixture.gate() }
}

async function startGreen(text: string): Promise<Running> {
  return drydock('task', text, '--json', '--model', await model(greenLanes), '--max-coders', '1')
}

async function events() {
  const records = (await fixture.open()).openRecords()
  const all = (await records?.events({ after: 0, limit: 5_000 })) ?? []
  await records?.close()
  return all.map((event) => ({ ...event, run: event.run.replace(/-\w+$/, '') }))
}

/** Types of states and Runs in the order of the event log. */
async function history(): Promise<string[]> {
  return (await events()).flatMap(({ run, type, data }) => {
    if (type === 'result') return [`${run} ${data.status}`]
    return type === 'run_state' ? [`${run} ${data.to}`] : []
  })
}

const whole = (run: string) => [`${run} MONITORING`, `${run} DONE`, `${run} DONE`]

function expectDone(ended: Ended): void {
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(resultOf(ended)).toMatchObject({ status: 'DONE' })
}

// Once in six runs of all tests two of these tasks worked at the same time; why is not known yet.
describe('several processes on one repository', () => {
  test('do their tasks strictly in their order with one slot, and each gets its own result', async () => {
    const first = await startGated()
    const second = await startGreen('second')
    await second.line(follows)
    const third = await startGreen('third')
    await third.line(follows)
    await first.gate.open()
    const ends = await Promise.all([first.ended, second.ended, third.ended])
    for (const end of ends) expectDone(end)
    expect(ends.map((end) => resultOf(end).branch)).toEqual(['drydock/first', 'drydock/second', 'drydock/third'])
    for (const end of ends) {
      const run = end.events[0]?.run
      expect(end.events.every((event) => event.run === run)).toBe(true)
    }
    const turns = (await events()).flatMap(({ run, type }) => (type === 'model_call' ? [run] : []))
    expect(turns.filter((run, at) => run !== turns[at - 1])).toEqual(['first', 'second', 'third'])
    // A slot is free a step before the run that had it is over.
    expect((await history()).toSorted()).toEqual([...whole('first'), ...whole('second'), ...whole('third')].toSorted())
  })
})
