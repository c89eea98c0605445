import { expect, onTestFinished, test } from 'vitest'
import type { ToolExecution } from '../../../src/ports/rows.ts'
import type { Records } from '../../../src/ports/store.ts'
import { createMemoryFixture, type Fixture } from '../../world/fixture.ts'
import { dies } from '../../world/kills.ts'
import { alwaysGreen, approve, greenStory, specLanes, submit, writeFile } from '../world/crew.ts'
import { type CrewConversation, crewOf, read, storedSpec } from '../world/crew-conversation.ts'
import { call, resultOf } from '../world/fixture.ts'

const own = { coder_id: '${coder_id}' }

/** All rows of a lane, in order. */
async function rows(fixture: Fixture, crew: CrewConversation, lane: string): Promise<readonly ToolExecution[]> {
  const { turn } = await crew.lane(lane)
  return read(fixture, async (records) => {
    const found: ToolExecution[] = []
    for (let at = 0; at < turn; at += 1) {
      for (let index = 0; ; index += 1) {
        const row = await records.toolExecution(`${crew.run}/${lane}`, at, index)
        if (row === null) break
        found.push(row)
      }
    }
    return found
  })
}

test('a call of the architect that was interrupted is run again when it reads, and is one row all the same', async () => {
  const fixture = await createMemoryFixture({ steps: [alwaysGreen] })
  onTestFinished(() => fixture.remove())
  const lane = 'architect/REQUEST/code/one/1'
  const run = await storedSpec(fixture, {
    ...specLanes('one'),
    ...greenStory('one'),
    'editor/one/CODING': [writeFile('one.txt', 'first\n'), submit('one')],
    [lane]: [call('read_file', { path: 'one.txt', ...own }), approve()],
  })
  const isActing = async (records: Records) => (await records.machine(`${run}/${lane}`))?.state === 'ACTING'
  expect(await dies({ fixture, run }, { moment: 'after', when: isActing })).toBe(true)
  const crew = crewOf(fixture, run)
  expect(await rows(fixture, crew, lane)).toEqual([])

  const done = await fixture.drydock('resume', run, '--json', '--no-wait')
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  expect(await rows(fixture, crew, lane)).toMatchObject([
    { tool: 'read_file', result: '1\tfirst', success: true, finishedAt: expect.any(String) },
    { tool: 'submit_reply', success: true },
  ])
  expect(await crew.results(lane)).toMatchObject([{ tool: 'read_file', ok: true, output: '1\tfirst' }])
  const asked = (await crew.events('model_call')).filter(({ data }) => data.lane === lane)
  expect(asked.map(({ data }) => data.turn)).toEqual([0, 1])
})
