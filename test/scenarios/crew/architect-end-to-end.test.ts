import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { approve, greenStory, specLanes } from '../world/crew.ts'
import { type CrewConversation, crewOf } from '../world/crew-conversation.ts'
import { call, resultOf } from '../world/fixture.ts'
import { startWireCrew, type WireCrew } from '../world/wire-crew.ts'

const own = { coder_id: '${coder_id}' }

/** The calls with which a reviewer looks around before it approves. */
const look = [
  call('list_files', { pattern: '*.txt', ...own }),
  call('search_files', { pattern: '^made by', ...own }),
  call('get_diff', own),
]
const review = (story: string) => [...look, call('read_file', { path: `${story}.txt`, ...own }), approve()]
const stories = ['left', 'right'] as const

let fixture: Fixture
let wire: WireCrew
let crew: CrewConversation

beforeAll(async () => {
  fixture = await createCrewFixture()
  const lanes = stories.map((story) => ({
    ...greenStory(story, `made by ${story}\n`),
    [`architect/REQUEST/code/${story}/1`]: review(story),
  }))
  wire = await startWireCrew(fixture, Object.assign(specLanes(...stories), ...lanes))
  const flags = ['--model', wire.model, '--max-coders', '2', '--json', '--no-wait']
  const built = await fixture.drydock('run', 'Make the files', ...flags)
  expect(resultOf(built), built.stdout + built.stderr).toMatchObject({ status: 'DONE' })
  crew = crewOf(fixture, built)
})
afterAll(async () => {
  await wire.close()
  await fixture.remove()
})

describe('an architect with two coders', () => {
  test('has them create files side by side, each in a workspace of its own', async () => {
    const moves = (await crew.events('state')).map(({ story, data }) => `${story} ${data.to}`)
    expect(moves.slice(0, 2)).toEqual(['left SETUP', 'right SETUP'])
    for (const [i, story] of stories.entries())
      expect((await crew.request('code', story)).data.coder).toBe(`coder-00${i + 1}`)
    const merged = await fixture.git('ls-tree', '--name-only', 'drydock/make-the-files')
    expect(merged.split('\n').filter((name) => name.endsWith('.txt'))).toEqual(['left.txt', 'right.txt', 'value.txt'])
  })

  test.each(stories)('reads the change of %s with all its tools, and nothing of the other', async (story) => {
    const results = await crew.results(`architect/REQUEST/code/${story}/1`)
    const { sha } = (await crew.request('code', story)).data
    const [listed, found, diff, file] = results.map(({ ok, output }) => ({ ok, output }))
    expect(listed).toEqual({ ok: true, output: `${[`${story}.txt`, 'value.txt'].sort().join('\n')}` })
    expect(found).toEqual({ ok: true, output: `${story}.txt:1: made by ${story}` })
    expect(diff).toMatchObject({ ok: true, output: expect.stringContaining(`snapshot ${sha}\ntruncated false\n`) })
    expect(diff?.output).toContain(`+made by ${story}`)
    expect(file).toEqual({ ok: true, output: `1\tmade by ${story}` })
  })

  test('leaks nothing of one story into any request about the other', () => {
    for (const [story, other] of [stories, stories.toReversed()]) {
      const requests = wire.heard.filter(({ lane }) => lane.split('/').includes(story ?? ''))
      expect(requests.length).toBeGreaterThanOrEqual(8)
      for (const { lane, raw } of requests)
        expect(raw, lane).not.toMatch(new RegExp(`${other}\\.txt|by ${other}|Make ${other}`))
    }
  })
})
