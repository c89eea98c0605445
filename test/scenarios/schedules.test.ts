import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import type { Drydock } from '../../src/app/drydock.ts'
import { actsOf } from '../../src/app/operations/acts-of.ts'
import { readSchedules } from '../../src/app/views/schedules.ts'
import { isEnded } from '../../src/domain/run/run.ts'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { greenLanes } from './world/fixture.ts'
import { configureUser, startHook } from './world/hook.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** The state with a clock that stands still at this time. */
const at = (now: string): Promise<Drydock> =>
  fixture.open({ clock: { ...createSystemClock(), now: () => new Date(now), random: () => 0.5 } })

const mondays = { cron: '0 6 * * 1', timezone: 'Europe/Berlin' }

/** A schedule that was created on Sunday, 1 March 2026, for Mondays at six in Berlin. */
async function scheduled(lanes: Parameters<Fixture['replay']>[0] = greenLanes): Promise<void> {
  fixture = await createFixture()
  const options = { model: await fixture.replay(lanes) }
  const work = { kind: 'task', text: 'say new' } as const
  await (await actsOf(await at('2026-03-01T12:00:00Z'), { options })).addSchedule({ ...mondays, work })
}

/** Owns the state at this time, until the condition holds. */
async function ownUntil(now: string, isSo: (state: State) => boolean): Promise<State> {
  const drydock = await at(now)
  const { promise, resolve, reject } = Promise.withResolvers<State>()
  const look = async () => {
    const state = await stateOf(drydock)
    if (isSo(state)) resolve(state)
  }
  const owner = await drydock.own({ coders: 1, onFailure: reject })
  owner?.onChange(() => void look().catch(reject))
  await look()
  await promise
  await owner?.stop({ drain: true })
  return stateOf(drydock)
}

interface State {
  readonly schedule: Awaited<ReturnType<typeof readSchedules>>[number] | undefined
  readonly runs: readonly { readonly id: string; readonly state: string; readonly ended: boolean }[]
}

async function stateOf(drydock: Drydock): Promise<State> {
  const [schedule] = await readSchedules(drydock)
  const records = drydock.openRecords()
  const runs = await records.machines({ kind: 'run' })
  await records.close()
  return { schedule, runs: runs.map((run) => ({ id: run.id, state: run.state, ended: isEnded(run.state) })) }
}

const oneEnded = ({ runs }: State) => runs.length > 0 && runs.every(({ ended }) => ended)

describe('a schedule', () => {
  test('starts one run for all times that were missed, and none before its time', async () => {
    await scheduled()
    const early = await ownUntil('2026-03-02T04:59:59Z', ({ schedule }) => schedule !== undefined)
    expect(early).toMatchObject({ schedule: { data: { next: '2026-03-02T05:00:00.000Z', last: null } }, runs: [] })
    const late = await ownUntil('2026-03-18T09:00:00Z', oneEnded)
    expect(late.runs).toEqual([{ id: expect.stringMatching(/^say-new-/), state: 'DONE', ended: true }])
    expect(late.schedule?.data).toMatchObject({
      next: '2026-03-23T05:00:00.000Z',
      last: {
        due: '2026-03-02T05:00:00.000Z',
        at: '2026-03-18T09:00:00.000Z',
        outcome: 'started',
        run: late.runs[0]?.id,
      },
    })
    // In summer six o'clock in Berlin is an hour earlier in UTC.
    const next = await ownUntil('2026-03-23T05:00:00Z', ({ runs }) => runs.length === 2 && runs[1]?.ended === true)
    expect(next.schedule?.data.next).toBe('2026-03-30T04:00:00.000Z')
  })

  test('skips a time while its last run has not ended, and says so', async () => {
    await scheduled({ 'editor/task/PLANNING': [{ error: { kind: 'auth', message: 'no' } }] })
    const stuck = await ownUntil('2026-03-02T06:00:00Z', ({ runs }) => runs.length === 1)
    const after = await ownUntil('2026-03-09T06:00:00Z', ({ schedule }) => schedule?.data.last?.outcome === 'skipped')
    expect(after.runs).toMatchObject([{ id: stuck.runs[0]?.id, ended: false }])
    expect(after.schedule?.data.last?.note).toMatch(`${stuck.runs[0]?.id} still goes on (`)
    expect((await fixture.drydock('status')).stdout).toContain('skipped')
  })

  test('reads its spec when it is due, and tells people when the file is gone', async () => {
    fixture = await createFixture()
    const hook = await startHook()
    await configureUser(fixture, { notify: { webhook: hook.url } })
    const file = join(fixture.folder, 'spec.md')
    await writeFile(file, '# Say new\n')
    const options = { model: await fixture.replay({}) }
    const work = { kind: 'spec', file, as_is: false } as const
    await (await actsOf(await at('2026-03-01T12:00:00Z'), { options })).addSchedule({ ...mondays, work })
    await rm(file)
    const gone = await ownUntil('2026-03-02T06:00:00Z', ({ schedule }) => schedule?.data.last?.outcome === 'failed')
    expect(gone.runs).toEqual([])
    expect(hook.posts.map(({ notice }) => notice)).toEqual([
      expect.objectContaining({ type: 'paused', question: expect.stringContaining(`There is no file ${file}.`) }),
    ])
    await writeFile(file, '# Say newer\n')
    await ownUntil('2026-03-09T06:00:00Z', ({ runs }) => runs.length === 1)
    expect((await fixture.drydock('status')).stdout).toContain('Say newer')
  })
})

describe('drydock schedule', () => {
  test('takes a file that can be read each time, and waits for no pipe', async () => {
    fixture = await createFixture()
    const model = await fixture.replay(greenLanes)
    const pipe = join(fixture.folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const added = await fixture.drydock('schedule', 'add', '@daily', pipe, '--model', model)
    expect(added).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`${pipe} is no regular file.`) })
  })

  test('adds with the next three times, lists, pauses, resumes and removes', async () => {
    fixture = await createFixture()
    const model = await fixture.replay(greenLanes)
    const more = ['--task', 'say new', '--timezone', 'UTC', '--model', model]
    const added = await fixture.drydock('schedule', 'add', '0 6 * * 1', ...more)
    expect(added).toMatchObject({ exitCode: 0, stderr: 'It starts runs while `drydock serve` runs.\n' })
    expect(added.stdout.match(/^ {2}Mon \d{4}-\d\d-\d\d 06:00$/gm)).toHaveLength(3)
    const name = /^Added (\S+)\./.exec(added.stdout)?.[1] ?? ''
    await configureUser(fixture, { commit: { author: 'user' } })
    const listed = async () => (await fixture.drydock('schedule', 'list', '--json')).events
    expect(await listed()).toEqual([
      expect.objectContaining({
        type: 'schedule',
        name,
        state: 'ACTIVE',
        cron: '0 6 * * 1',
        timezone: 'UTC',
        last: null,
      }),
    ])
    await fixture.drydock('schedule', 'pause', name)
    expect(await listed()).toMatchObject([{ state: 'PAUSED', paused_by: 'Tester', next: null }])
    expect((await fixture.drydock('schedule', 'list')).stdout).toContain('PAUSED by Tester')
    expect((await fixture.drydock('schedule', 'pause', name)).stderr).toContain(
      `The schedule ${name} is PAUSED by Tester.`,
    )
    await fixture.drydock('schedule', 'resume', name)
    expect(await listed()).toMatchObject([
      { state: 'ACTIVE', paused_by: null, next: expect.stringContaining('T06:00:00') },
    ])
    expect((await fixture.drydock('status')).stdout).toContain(name)
    await fixture.drydock('schedule', 'remove', name)
    expect(await listed()).toEqual([])
    expect((await fixture.drydock('schedule', 'remove', name)).stderr).toContain('There is no schedule')
  })

  test.each([
    [['every monday', '--task', 'x'], 'is no cron expression'],
    [['2027-01-01', '--task', 'x'], 'needs five fields'],
    [['2027-01-01 10:00', '--task', 'x'], 'needs five fields'],
    [['@every 5m', '--task', 'x'], 'needs five fields'],
    [['61 * * * *', '--task', 'x'], 'Invalid value for minute: 61'],
    [['0 6 31 2 *', '--task', 'x'], 'has no time that is to come'],
    [['@daily', '--task', 'x', '--timezone', 'Mars/Olympus'], 'There is no time zone "Mars/Olympus".'],
    [['@daily', 'gone.md'], 'There is no file'],
    [['@daily', 'spec.md', '--task', 'x'], 'A schedule needs'],
    [['@daily'], 'A schedule needs'],
  ])('refuses %j', async (args, why) => {
    fixture = await createFixture()
    const refused = await fixture.drydock('schedule', 'add', ...args, '--model', await fixture.replay(greenLanes))
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) })
  })
})
