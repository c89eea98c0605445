import { expect, onTestFinished, test } from 'vitest'
import { actsOf } from '../../../src/app/operations/acts-of.ts'
import { readPlan } from '../../../src/app/views/plan/read-plan.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import { createMemoryFixture } from '../../world/fixture.ts'
import { ownsUntilDeath } from '../../world/kills.ts'
import { alwaysGreen, greenStory, specLanes } from '../world/crew.ts'
import { statesOf, withRecords } from '../world/crew-script.ts'
import type { Fixture } from '../world/fixture.ts'

async function planOf(fixture: Fixture, run: string) {
  return withRecords(fixture, async (records) => readPlan(records, (await records.machineOf('run', run)) as Run))
}

const editsOf = (fixture: Fixture, run: string) =>
  withRecords(fixture, (records) => records.recentEvents({ run, types: ['plan_edit'], limit: 10 }))

test.each(['before', 'after'] as const)(
  'an edit of a plan survives a kill %s its commit: it is made once, and the edited plan is built',
  async (moment) => {
    const fixture = await createMemoryFixture({ steps: [alwaysGreen] })
    onTestFinished(() => fixture.remove())
    const model = await fixture.replay({ ...specLanes('one', 'two'), ...greenStory('two') })
    const planned = await fixture.drydock('plan', 'Make the files', '--model', model, '--json')
    const run = String(planned.events[0]?.run)
    const seen = await planOf(fixture, run)
    const two = seen.stories
      .filter(({ id }) => id === 'two')
      .map(({ edited_by: _, state: __, begun: ___, ...story }) => story)
    const drydock = await fixture.open()
    const command = { kind: 'plan', run, edit: 'e', author: 'Ada', version: seen.version, stories: two } as const
    await drydock.submit('plan/e', command)
    await ownsUntilDeath(fixture, {
      coders: 1,
      asked: [],
      only: true,
      death: {
        moment,
        when: async (records) => (await records.recentEvents({ run, types: ['plan_edit'], limit: 1 })).length > 0,
      },
    })
    expect((await planOf(fixture, run)).stories.length).toBe(moment === 'before' ? 2 : 1)

    const built = await fixture.drydock('plan', 'build', run, '--model', model, '--json', '--no-wait')
    expect([built.exitCode, statesOf(built)]).toEqual([0, { two: 'DONE' }])
    expect((await editsOf(fixture, run)).map(({ data }) => data.outcome)).toEqual(['edited'])
    const again = await (await actsOf(drydock)).editPlan({ run, version: seen.version, stories: two })
    expect(again.outcome).toBe('outdated')
  },
)
