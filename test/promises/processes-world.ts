import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Fixture, greenLanes, resultOf, type Turns } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch, type ProcessEnd, type Running } from '../scenarios/world/process.ts'

export const follows = /Another drydock process works on this repository; following it/

/** Starts tasks in separate processes on the repository that `of` returns. */
export function tasksOn(of: () => Fixture) {
  let files = 0
  const drydock = (...args: string[]): Running => launch([...args, '--repo', of().repo], { env: of().env })

  /** Writes a separate replay file for each task. */
  async function model(lanes: Readonly<Record<string, Turns>>): Promise<string> {
    files += 1
    const file = join(of().folder, `replay-${files}.json`)
    await writeFile(file, JSON.stringify({ version: 1, lanes }))
    return `replay:${file}`
  }

  /** A task that waits inside a command. */
  async function startGated(...args: string[]) {
    const running = drydock('task', 'first', '--json', '--model', await model(gatedLanes), '--max-coders', '1', ...args)
    const run = JSON.parse(await running.line(/"type":"run"/)).run as string
    await running.line(gateReached)
    const { workTrees } = await of().open()
    return { ...running, run, gate: await findGate(workTrees.path('coder-001')) }
  }

  const startGreen = async (text: string): Promise<Running> =>
    drydock('task', text, '--json', '--model', await model(greenLanes), '--max-coders', '1')

  /** The transitions and results of all Runs as lines, in the order of the event log. */
  async function history(): Promise<string[]> {
    const records = (await of().open()).openRecords()
    const events = (await records?.events({ after: 0, limit: 5_000 })) ?? []
    await records?.close()
    return events
      .filter((event) => event.type === 'run_state' || event.type === 'result')
      .map(({ run, type, data }) => `${run.replace(/-\w+$/, '')} ${type === 'result' ? data.status : data.to}`)
  }

  return { drydock, model, startGated, startGreen, history }
}

export function expectDone(ended: ProcessEnd): void {
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(resultOf(ended)).toMatchObject({ status: 'DONE' })
}

/** The entries of `history` for an uninterrupted task. */
export const whole = (run: string) => [`${run} MONITORING`, `${run} DONE`, `${run} DONE`]
