import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { finding, greenStory, needsChanges, reply, specLanes, storyPlan, submit, writeFile } from '../world/crew.ts'
import { call, resultOf } from '../world/fixture.ts'
import { startWireCrew, type WireCrew } from '../world/wire-crew.ts'

const own = { coder_id: '${coder_id}' }
const approved = (response: string) => reply(response, { verdict: 'APPROVED' })
const plan1 = 'architect/REQUEST/plan/one/1'
const code1 = 'architect/REQUEST/code/one/1'
const code2 = 'architect/REQUEST/code/one/2'
const asked = 'architect/REQUEST/question/one/1'
const coding = 'editor/one/CODING'

/** Words that are planted in the work on story one, and the lanes that should receive them. */
const planted: Readonly<Record<string, readonly string[]>> = {
  /** The findings of scoping go to the lane that writes the stories. */
  'word-of-scoping': ['architect/STORY_GENERATION'],
  /** A reviewer's thoughts stay in its own lane. */
  'word-of-thought': [plan1],
  /** Notes on an approved plan go to the coder. */
  'word-of-plan-review': [coding],
  'word-of-question': [asked, coding],
  'word-of-answer': [coding],
  /** Both reviews see the file in the diff. */
  'word-of-file': [code1, code2, coding],
  'word-of-read-only-file': [plan1],
  'word-of-response': [coding],
  'word-of-finding': [code2, coding],
  'word-of-editor-chat': [code1, code2, coding],
  'word-of-review-chat': [code1, code2],
}

const lanes = {
  ...specLanes('one', 'two'),
  ...greenStory('two'),
  'architect/SCOPING': [reply('word-of-scoping')],
  'editor/one/PLANNING': [storyPlan('one')],
  [plan1]: [
    { text: 'word-of-thought', ...call('read_file', { path: 'notes.txt', ...own }) },
    approved('word-of-plan-review'),
  ],
  [coding]: [
    writeFile('one.txt', 'word-of-file\n'),
    call('ask_architect', { question: 'word-of-question' }),
    call('post_message', { content: 'word-of-editor-chat' }),
    submit('one'),
    writeFile('one.txt', 'one\n'),
    submit('one'),
  ],
  [asked]: [call('list_files', { pattern: '*', ...own }), reply('word-of-answer')],
  [code1]: [
    call('read_messages', {}),
    call('post_message', { content: 'word-of-review-chat' }),
    call('read_file', { path: 'one.txt', ...own }),
    needsChanges('word-of-response', [finding({ claim: 'word-of-finding', file: 'one.txt' })]),
  ],
  [code2]: [call('read_messages', {}), approved('Good.')],
  'architect/REQUEST/code/two/1': [
    call('read_messages', {}),
    call('read_file', { path: 'two.txt', ...own }),
    call('get_diff', own),
    approved('Good.'),
  ],
}

let fixture: Fixture
let crew: WireCrew

beforeAll(async () => {
  fixture = await createCrewFixture({ files: { 'notes.txt': 'word-of-read-only-file\n' } })
  crew = await startWireCrew(fixture, lanes)
  const built = await fixture.drydock('run', 'Make the files', '--model', crew.model, '--json', '--no-wait')
  expect(resultOf(built), built.stdout + built.stderr).toMatchObject({ status: 'DONE' })
})
afterAll(async () => {
  await crew.close()
  await fixture.remove()
})

const lanesThatHeard = (word: string) =>
  [...new Set(crew.heard.filter(({ raw }) => raw.includes(word)).map(({ lane }) => lane))].sort()

describe('ContextFlushBetweenStates', () => {
  test.each(Object.entries(planted))(
    'of all requests that were sent only those of its lanes have the %s',
    (word, to) => {
      expect(lanesThatHeard(word)).toEqual([...to].sort())
    },
  )

  test('nothing of one story is in a request about the other', () => {
    const about = (story: string) => crew.heard.filter(({ lane }) => lane.split('/').includes(story))
    expect(about('two').length).toBeGreaterThanOrEqual(8)
    for (const { lane, raw } of about('two')) expect(raw, lane).not.toMatch(/word-of|one\.txt|Make one/)
    for (const { lane, raw } of about('one')) expect(raw, lane).not.toMatch(/two\.txt|Make two/)
  })

  test('each lane starts with its own prompt alone, and its requests only grow', () => {
    const lanesHeard = Map.groupBy(crew.heard, ({ lane }) => lane)
    for (const [lane, requests] of lanesHeard) {
      const messages = requests.map(({ raw }) => JSON.parse(raw).messages as readonly { readonly role: string }[])
      expect(
        messages[0]?.map(({ role }) => role),
        lane,
      ).toEqual(['system', 'user'])
      for (const [i, later] of messages.slice(1).entries())
        expect(later.slice(0, messages[i]?.length), lane).toEqual(messages[i])
    }
    expect([...lanesHeard.keys()].sort()).toEqual(Object.keys(lanes).sort())
  })
})
