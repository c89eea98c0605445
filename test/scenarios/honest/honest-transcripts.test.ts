import { expect, test } from 'vitest'
import { createFixture } from '../../world/fixture.ts'
import { withRecords } from '../world/crew-script.ts'
import { resultOf } from '../world/fixture.ts'
import { crewTranscripts } from './crews.ts'
import { taskTranscripts } from './tasks.ts'

const transcripts = [...taskTranscripts, ...crewTranscripts]

test.each(transcripts.map((each) => [each.name, each] as const))(
  'a capable model does not notice the bounds of a lane: %s',
  async (_, { options = {}, args = ['task', 'Say new'], lanes, status = 'DONE', requests, errors }) => {
    const fixture = await createFixture(options)
    try {
      const model = await fixture.replay(lanes)
      const done = await fixture.drydock(...args, '--model', model, '--json', '--no-wait')
      const { run } = resultOf(done) as { readonly run: string }
      const calls = await withRecords(fixture, (records) => records.modelCalls(run))
      const failed = done.events.filter(({ type, ok }) => type === 'tool' && ok === false)
      expect({ status: resultOf(done).status, requests: calls.length, errors: failed.length }, done.stderr).toEqual({
        status,
        requests,
        errors,
      })
    } finally {
      await fixture.remove()
    }
  },
)

test('there are at least 30 of them', () => expect(transcripts.length).toBeGreaterThanOrEqual(30))
