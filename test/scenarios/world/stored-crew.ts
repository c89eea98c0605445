import { expect } from 'vitest'
import type { Drydock } from '../../../src/app/drydock.ts'
import { follow } from '../../../src/app/wait/follow.ts'
import type { MachineKind } from '../../../src/domain/machine.ts'
import type { StateReader } from '../../../src/ports/store.ts'
import { createCrewFixture, greenStory, type Lanes, specLanes } from './crew.ts'
import { type CommandResult, type Fixture, type FixtureOptions, resultOf } from './fixture.ts'

/** The Run that `storeCrew` stores. */
export const run = 'make-the-files-000000'

/** Two stories without obstacles. */
export const green: Lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }

/** Removes a lane's turns from one on. */
export function without(lanes: Lanes, lane: string, from = 0): Lanes {
  return { ...lanes, [lane]: (lanes[lane] ?? []).slice(0, from) }
}

export interface StoreOptions {
  readonly reviewStories?: boolean
}

/** Stores a crew's Run that has not started. */
export async function storeCrew(
  lanes: Lanes,
  { reviewStories = false, ...more }: StoreOptions & FixtureOptions = {},
): Promise<Fixture> {
  return storeCrewIn(await createCrewFixture(more), lanes, { reviewStories })
}

/** Stores the Run in an existing repository. */
export async function storeCrewIn<Made extends Fixture>(
  fixture: Made,
  lanes: Lanes,
  { reviewStories = false }: StoreOptions = {},
): Promise<Made> {
  const model = await fixture.replay(lanes)
  const spec = { text: 'Make the files', source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories, stories: null } as const
  const models = { architect: model, editor: model, scout: model }
  const drydock = await fixture.open()
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  return fixture
}

export function resume(fixture: Fixture, coders = 2): Promise<CommandResult> {
  return fixture.drydock('resume', '--json', '--no-wait', '--max-coders', String(coders))
}

/** Works on the Run in this process, like a command with `--no-wait`. */
export async function followHere(drydock: Drydock) {
  const { exitCode, results } = await follow(drydock, {
    runs: [run],
    after: 0,
    coders: 1,
    own: true,
    noWait: true,
    humanDelayMs: null,
    onEvent: () => {},
    onNote: () => {},
    stop: new AbortController().signal,
  })
  return { exitCode, result: results.get(run) }
}

export async function read<T>(fixture: Fixture, reading: (records: StateReader) => Promise<T>): Promise<T> {
  const records = (await fixture.open()).openRecords()
  return reading(records).finally(() => records.close())
}

export async function statesOf(fixture: Fixture, kind: MachineKind): Promise<readonly string[]> {
  const machines = await read(fixture, (records) => records.machines({ kind, run }))
  return machines.map(({ state }) => state)
}

/**
 * Expects that each turn of each lane was played once, and that the branch has one commit for each
 * story.
 */
export async function expectBuilt(fixture: Fixture, done: CommandResult, stories = 2): Promise<void> {
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', run })
  const events = await read(fixture, (records) => records.events({ run, after: 0, limit: 10_000 }))
  const calls = events.filter((event) => event.type === 'model_call').map(({ data }) => `${data.lane} ${data.turn}`)
  expect(new Set(calls).size).toBe(calls.length)
  expect(await fixture.git('rev-list', '--count', 'main..drydock/make-the-files')).toBe(String(stories))
  expect(await read(fixture, (records) => records.isIdle(run))).toBe(true)
}
