import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts'
import { actsOf } from '../../../src/app/operations/acts-of.ts'
import { readSchedules } from '../../../src/app/views/schedules.ts'
import { createMemoryFixture } from '../../world/fixture.ts'
import { ownsUntilDeath } from '../../world/kills.ts'
import { withRecords } from '../world/crew-script.ts'
import { greenLanes } from '../world/fixture.ts'

const at = (now: string) => ({ clock: { ...createSystemClock(), now: () => new Date(now), random: () => 0.5 } })

test.each(['before', 'after'] as const)(
  'a schedule starts once when its process is killed right %s it was due',
  async (moment) => {
    const fixture = await createMemoryFixture()
    onTestFinished(() => fixture.remove())
    const options = { model: await fixture.replay(greenLanes) }
    const acts = await actsOf(await fixture.open(at('2026-03-01T12:00:00Z')), { options })
    const work = { kind: 'task', text: 'say new' } as const
    await acts.addSchedule({ cron: '0 6 * * 1', timezone: 'Europe/Berlin', work })
    await ownsUntilDeath(fixture, {
      coders: 1,
      ...at('2026-03-02T06:00:00Z'),
      death: {
        moment,
        when: async (records) => (await records.machines({ kind: 'schedule' })).some(({ data }) => data.last !== null),
      },
    })
    const runs = () => withRecords(fixture, (records) => records.machines({ kind: 'run' }))
    const drydock = await fixture.open(at('2026-03-02T06:00:01Z'))
    const ended = Promise.withResolvers<void>()
    const owner = await drydock.own({ coders: 1, onFailure: ended.reject })
    const look = async () => {
      if ((await runs()).some(({ state }) => state === 'DONE')) ended.resolve()
    }
    owner?.onChange(() => void look().catch(ended.reject))
    await look()
    await ended.promise
    await owner?.stop({ drain: true })
    const [run, ...others] = await runs()
    expect(others).toEqual([])
    const [schedule] = await readSchedules(drydock)
    expect(schedule?.data.last).toMatchObject({ outcome: 'started', run: run?.id })
  },
)
