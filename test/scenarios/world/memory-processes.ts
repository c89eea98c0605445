import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Fixture, ProcessEnd, Running } from '../../world/fixture.ts'
import { greenLanes, resultOf, type Turns } from './fixture.ts'
import { gatedLanes, gateReached } from './process.ts'

export const follows = /Another drydock process works on this repository; following it/

/** Starts tasks in separate processes, also in memory, on the repository that `of` returns. */
export function tasksOn(of: () => Fixture) {
  let files = 0

  /** Writes a separate replay file for each task. */
  async function model(lanes: Readonly<Record<string, Turns>>): Promise<string> {
    files += 1
    const file = join(of().folder, `replay-${files}.json`)
    await writeFile(file, JSON.stringify({ version: 1, lanes }))
    return `replay:${file}`
  }

  function drydock(...args: string[]): Running {
    return of().launch(args)
  }

  /** A task in a separate process that waits inside a command. */
  async function startGated(...args: string[]) {
    const running = drydock('task', 'first', '--json', '--model', await model(gatedLanes), '--max-coders', '1', ...args)
    const run = JSON.parse(await running.line(/"type":"run"/)).run as string
    await running.line(gateReached)
    return { ...running, run, gate: await of().gate() }
  }

  async function startGreen(text: string): Promise<Running> {
    return drydock('task', text, '--json', '--model', await model(greenLanes), '--max-coders', '1')
  }

  async function events() {
    const records = (await of().open()).openRecords()
    const all = (await records?.events({ after: 0, limit: 5_000 })) ?? []
    await records?.close()
    return all.map((event) => ({ ...event, run: event.run.replace(/-\w+$/, '') }))
  }

  /** The transitions and results of all Runs as lines, in the order of the event log. */
  async function history(): Promise<string[]> {
    return (await events()).flatMap(({ run, type, data }) => {
      if (type === 'result') return [`${run} ${data.status}`]
      return type === 'run_state' ? [`${run} ${data.to}`] : []
    })
  }

  return { drydock, model, startGated, startGreen, events, history }
}

/** The entries of `history` for an uninterrupted task. */
export const whole = (run: string) => [`${run} MONITORING`, `${run} DONE`, `${run} DONE`]

export function expectDone(ended: ProcessEnd): void {
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(resultOf(ended)).toMatchObject({ status: 'DONE' })
}
