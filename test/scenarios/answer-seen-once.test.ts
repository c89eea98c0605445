import { afterEach, expect, test } from 'vitest'
import { actsOf } from '../../src/app/operations/acts-of.ts'
import { reading } from '../../src/app/reading.ts'
import { readRunNow } from '../../src/app/views/window/run-now.ts'
import type { Records } from '../../src/ports/store.ts'
import { createCrewFixture } from '../world/fixture.ts'
import type { Fixture } from './world/fixture.ts'
import { ask, lane, question, spec } from './world/interview.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

test('an answer that is applied while a run is read shows as given', async () => {
  fixture = await createCrewFixture()
  const turns = [ask(question('Which value?'), question('Which case?')), spec()]
  const model = await fixture.replay({ [lane]: turns })
  const { events } = await fixture.drydock('spec', 'say new', '--model', model, '--json', '--no-ui')
  const run = String(events.find((event) => event.run !== undefined)?.run)
  const drydock = await fixture.open()
  const before = await reading(drydock, (records) => readRunNow(drydock, records, run))
  expect(before?.open).toHaveLength(2)
  await (await actsOf(drydock)).reply({ id: before?.open[0]?.message.id ?? '', text: 'The new one' })
  const now = await reading(drydock, (records) => readRunNow(drydock, applying(records), run))
  expect(now?.open.map(({ message }) => message.id)).toEqual([before?.open[1]?.message.id])

  /** Another process applies the stored answer right after the Run was read. */
  function applying(records: Records): Records {
    return new Proxy(records, {
      get(target, name) {
        const real = Reflect.get(target, name)
        if (name !== 'machineOf') return typeof real === 'function' ? real.bind(target) : real
        return async (...asked: Parameters<Records['machineOf']>) => {
          const read = await target.machineOf(...asked)
          if (asked[0] === 'run') await fixture.drydock('resume', '--no-wait', '--json')
          return read
        }
      },
    })
  }
})
