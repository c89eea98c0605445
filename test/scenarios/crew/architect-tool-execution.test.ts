import { afterEach, describe, expect, test } from 'vitest'
import type { ToolExecution } from '../../../src/ports/rows.ts'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { approve, build, greenStory, reply, specLanes, storyPlan } from '../world/crew.ts'
import { type CrewConversation, crewOf, read } from '../world/crew-conversation.ts'
import { call, resultOf } from '../world/fixture.ts'

const own = { coder_id: '${coder_id}' }

let fixture: Fixture
afterEach(() => fixture.remove())

/** All rows of a lane, in order. */
async function rows(crew: CrewConversation, lane: string): Promise<readonly ToolExecution[]> {
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

const short = ({ agent, story, tool, success }: ToolExecution) => ({ agent, story, tool, success })

describe('ToolExecution', () => {
  test('of architect and editors leaves a row with role, story, arguments, result, success and duration', async () => {
    fixture = await createCrewFixture()
    const done = await build(fixture, {
      ...specLanes('one'),
      ...greenStory('one'),
      'architect/SCOPING': [call('read_file', { path: 'value.txt' }), reply('Small.')],
      'editor/one/PLANNING': [call('ask_architect', { question: 'Where?' }), storyPlan('one')],
      'architect/REQUEST/question/one/1': [
        { calls: ['*', 'value.txt'].map((pattern) => ({ tool: 'list_files', input: { pattern, ...own } })) },
        reply('Here.'),
      ],
      'architect/REQUEST/plan/one/1': [
        call('read_file', { path: 'nowhere.txt', ...own }),
        call('no_such_tool', {}),
        call('read_file', { path: 7 }),
        approve(),
      ],
    })
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    const crew = crewOf(fixture, done)
    const lanes = await crew.lanes()
    const all = Object.fromEntries(
      await Promise.all(lanes.map(async (lane) => [lane, await rows(crew, lane)] as const)),
    )

    const row = (agent: string, story: string | null, tool: string, success = true) => ({ agent, story, tool, success })
    expect(Object.fromEntries(Object.entries(all).map(([lane, each]) => [lane, each.map(short)]))).toEqual({
      'architect/SCOPING': [
        row('architect_scoping', null, 'read_file'),
        row('architect_scoping', null, 'submit_reply'),
      ],
      'architect/STORY_GENERATION': [row('architect_stories', null, 'submit_stories')],
      'editor/one/PLANNING': [
        row('editor_planning', 'one', 'ask_architect'),
        row('editor_planning', 'one', 'submit_plan'),
      ],
      'architect/REQUEST/question/one/1': [
        row('architect_question', 'one', 'list_files'),
        row('architect_question', 'one', 'list_files'),
        row('architect_question', 'one', 'submit_reply'),
      ],
      'architect/REQUEST/plan/one/1': [
        row('architect_review', 'one', 'read_file', false),
        row('architect_review', 'one', 'no_such_tool', false),
        row('architect_review', 'one', 'read_file', false),
        row('architect_review', 'one', 'submit_reply'),
      ],
      'editor/one/CODING': [row('editor_coding', 'one', 'write_file'), row('editor_coding', 'one', 'submit_change')],
      'architect/REQUEST/code/one/1': [row('architect_review', 'one', 'submit_reply')],
    })
    for (const each of Object.values(all).flat()) {
      expect(each.session).toBe(crew.run)
      expect(each.durationMs).toBeGreaterThanOrEqual(0)
      expect(Date.parse(each.finishedAt ?? '') - Date.parse(each.startedAt)).toBe(each.durationMs)
    }
    const [, listed] = all['architect/REQUEST/question/one/1'] ?? []
    expect(listed).toMatchObject({ arguments: { pattern: 'value.txt', coder_id: 'coder-001' }, result: 'value.txt' })
    const [answered] = all['editor/one/PLANNING'] ?? []
    expect(answered).toMatchObject({ arguments: { question: 'Where?' }, result: 'Here.' })
  })
})
