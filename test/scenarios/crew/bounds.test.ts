import { afterEach, describe, expect, test } from 'vitest'
import type { Story } from '../../../src/domain/story/story.ts'
import {
  type CommandResult,
  createWorld,
  edits,
  type Lanes,
  plans,
  replies,
  submits,
  type Turn,
  type World,
} from '../../world/world.ts'

let world: World
afterEach(() => world.remove())

const call = (tool: string, input: object): Turn => ({ calls: [{ tool, input }] })
const verdict = (word: string) => replies('As you like.', { verdict: word })
const times = (count: number, turn: (i: number) => Turn | readonly Turn[]): readonly Turn[] =>
  Array.from({ length: count }, (_, i) => turn(i)).flat()
/** Attempts that each submit another tree. */
const tries = (count: number, more: (i: number) => object = () => ({}), lane = 0) =>
  times(count, (i) => [
    ...edits({ 'a.txt': `${lane} ${i}\n` }),
    submits('The change', { hypothesis: `It is ${i}.`, ...more(i) }),
  ])
/** The architect's replies in this number of budget reviews. */
const budgets = (count: number, ...turns: readonly Turn[]): Lanes =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`architect/REQUEST/budget/a/${i + 1}`, turns]))

const statusesOf = ({ events }: CommandResult) =>
  events.flatMap((event) => (event.type === 'verification' ? [event.data.status] : []))
const questionsOf = ({ events }: CommandResult) =>
  events.filter((event) => event.type === 'escalation').map(({ data }) => data)
const askedOf = ({ events }: CommandResult, kind: string) =>
  events.filter(({ type, data }) => type === 'request' && (data as { kind: string; state: string }).kind === kind)
    .length

async function storyOf(): Promise<Story> {
  const [story] = await world.fixture.machine.store.machines({ kind: 'story' })
  if (story === undefined) throw new Error('there is no story')
  return story
}

/** Answers the newest question as a human, and continues the Run. */
async function answered(told: CommandResult, text: string): Promise<CommandResult> {
  const id = questionsOf(told).at(-1)?.id ?? ''
  const { exitCode, stderr } = await world.fixture.drydock('reply', id, text)
  expect(exitCode, stderr).toBe(0)
  return world.resumes()
}

/** A step in which one of two tests fails, but never the same one twice in a row. */
function byTurns() {
  let ran = 0
  return () => {
    ran += 1
    const [one, two] = ran % 2 === 0 ? ['ok', 'not ok'] : ['not ok', 'ok']
    return { exitCode: 1, output: `TAP version 13\n1..2\n${one} 1 - one\n${two} 2 - two\n` }
  }
}

describe('12 failed verifications end a story, and a human is asked', () => {
  test('when two tests fail alternately, however often the architect and the human let it continue', async () => {
    world = await createWorld({ steps: { test: byTurns() } })
    const lanes = {
      'editor/a/CODING': tries(40),
      ...budgets(20, verdict('APPROVED')),
      'editor/a@2/PLANNING': [plans()],
      'architect/REQUEST/plan/a@2/1': [verdict('APPROVED')],
      'editor/a@2/CODING': [...edits({ 'a.txt': 'anew\n' }), submits()],
    }
    const told = await world.spec('a').lanes(lanes).ends()
    // After two extensions a human is asked.
    expect(statusesOf(told)).toHaveLength(9)
    expect(questionsOf(told).at(-1)?.question).toContain('flaky tests alone decided its last 3 verdicts')
    const ended = await answered(told, 'Go on.')
    expect(statusesOf(ended)).toHaveLength(3)
    const story = await storyOf()
    expect([story.state, story.data.failures.loops]).toEqual(['STUCK', 12])
    expect(questionsOf(ended).at(-1)?.question).toMatch(/^Story a ended STUCK/)
    // A human's retry restarts the counts.
    const retried = await answered(ended, 'retry')
    expect(statusesOf(retried)).toEqual(['FAIL'])
    expect((await storyOf()).data.failures.loops).toBe(1)
  })

  test('when slices pass in between', async () => {
    // One test is green, one is red.
    let ran = 0
    const red = () => {
      ran += 1
      return ran % 2 === 0 ? { exitCode: 1, output: 'it fails\n' } : 0
    }
    world = await createWorld({ steps: { says: red } })
    const lanes = { 'editor/a/CODING': tries(40, (i) => ({ next_slice: `slice ${i}` })) }
    const told = await world.spec('a').lanes(lanes).ends()
    expect(statusesOf(told).filter((status) => status === 'FAIL')).toHaveLength(12)
    expect((await storyOf()).state).toBe('STUCK')
    expect(questionsOf(told)).toHaveLength(1)
  })
})

describe('a stopped editor may continue twice without progress, and then a human is asked', () => {
  const idle = times(400, (i) => call('list_files', { pattern: i % 2 === 0 ? 'x*' : 'y*' }))
  const config = { editor: { turns_without_progress: 4 } }

  test.each(['APPROVED', 'NEEDS_CHANGES'])('when the review says %s for ever', async (word) => {
    world = await createWorld({ config })
    const told = await world
      .spec('a')
      .lanes({ 'editor/a/CODING': idle, ...budgets(20, verdict(word)) })
      .ends()
    expect(askedOf(told, 'budget')).toBe(6)
    expect(questionsOf(told)).toHaveLength(1)
    expect((await storyOf()).state).toBe('ESCALATED')
  })

  test('when the review never gives a verdict, which is not an approval', async () => {
    world = await createWorld({ config })
    const silent = times(40, (i) => replies(`Hm, ${i}.`))
    const told = await world
      .spec('a')
      .lanes({ 'editor/a/CODING': idle, ...budgets(20, ...silent), 'architect/REQUEST/budget/a/1.2': silent })
      .ends()
    const calls = told.events.filter(({ type, data }) => type === 'tool' && /CODING/.test(JSON.stringify(data))).length
    expect(calls).toBeLessThan(10)
    expect(questionsOf(told)).toHaveLength(1)
  })
})

test('the 13th question to the architect goes to a human, whose reply answers it', async () => {
  world = await createWorld()
  const asks = times(60, (i) => call('ask_architect', { question: `What about ${i}?` }))
  const answers = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`architect/REQUEST/question/a/${i + 1}`, [replies(`Do ${i}, then ask.`)]]),
  )
  const told = await world
    .spec('a')
    .lanes({ 'editor/a/CODING': asks, ...answers })
    .ends()
  expect(askedOf(told, 'question')).toBe(24)
  const [asked, ...others] = questionsOf(told)
  expect(others).toEqual([])
  expect(asked?.question).toMatch(/^The editor of a has asked the architect 12 questions\./)
  expect(asked?.evidence).toContain('What about 12?')
  const ended = await answered(told, 'Ask nothing more.')
  expect(questionsOf(ended)).toHaveLength(1)
  const [story] = [await storyOf()]
  const messages = await world.fixture.machine.store.messages(story.data.lane ?? '')
  expect(JSON.stringify(messages)).toContain('Ask nothing more.')
})

describe('a tree that was verified has its verdict', () => {
  test('after a FAIL its editor is told so, and nothing is counted', async () => {
    world = await createWorld()
    const again = (i: number) => submits(`The change ${i}`, { hypothesis: `It is ${i}.` })
    const told = await world
      .task('Say new')
      .editor(edits({ 'a.txt': 'half\n' }), times(4, again), edits({ 'a.txt': 'new\n' }), again(5))
      .verdicts('FAIL', 'PASS')
      .ends()
    expect(told.result?.status).toBe('DONE')
    expect(statusesOf(told)).toEqual(['FAIL', 'PASS'])
    const { attempts } = (await storyOf()).data
    expect(attempts).toHaveLength(2)
    const said = JSON.stringify(await world.fixture.machine.store.messages((await storyOf()).data.lane ?? ''))
    expect(said).toContain(`Nothing has changed since ${attempts[0]?.runId}, which was FAIL (`)
  })

  test('flaky tests and a timeout allow one more try', async () => {
    world = await createWorld({ steps: { test: byTurns() } })
    const told = await world
      .task('Say new')
      .editor(
        edits({ 'a.txt': 'half\n' }),
        times(6, (i) => submits(`The change ${i}`)),
      )
      .ends()
    expect(statusesOf(told)).toEqual(['FAIL', 'FAIL'])
    await world.remove()
    world = await createWorld({ steps: { test: () => ({ exitCode: null, timedOut: true }) } })
    const late = await world
      .task('Say new')
      .editor(
        edits({ 'a.txt': 'half\n' }),
        times(6, (i) => submits(`The change ${i}`)),
      )
      .ends()
    expect(statusesOf(late)).toEqual(['FAIL', 'FAIL'])
  })

  test('after a PASS the next round of the review follows, and nothing is verified again', async () => {
    world = await createWorld()
    const lanes = {
      'editor/a/CODING': [...edits({ 'a.txt': 'a\n' }), submits('Add a'), submits('The finding is wrong')],
      'architect/REQUEST/code/a/1': [
        replies('Not yet.', {
          verdict: 'NEEDS_CHANGES',
          findings: [{ severity: 'major', file: 'a.txt', claim: 'wrong', evidence: 'a.txt:1' }],
        }),
      ],
      'architect/REQUEST/code/a/2': [verdict('APPROVED')],
    }
    const told = await world.spec('a').lanes(lanes).ends()
    expect(told.result?.status).toBe('DONE')
    // One PASS for the change, and one for its merge.
    expect(statusesOf(told)).toEqual(['PASS', 'PASS'])
  })

  test('the PASS of a slice is none of the whole change', async () => {
    world = await createWorld()
    const told = await world
      .task('Say new')
      .editor(edits({ 'a.txt': 'new\n' }), submits('One', { next_slice: 'two' }), submits('All of it'))
      .ends()
    expect(told.result?.status).toBe('DONE')
    expect(statusesOf(told)).toEqual(['PASS', 'PASS'])
  })
})

test('the question about a stuck story begins with why and the hypotheses, in words for people', async () => {
  world = await createWorld()
  const suffixes = ['', '/2', '/3', '/4']
  const lanes = Object.fromEntries(
    suffixes.flatMap((suffix, i): [string, readonly Turn[]][] => [
      [
        `editor/a/PLANNING${suffix}`,
        [plans({ behaviour_change: `it says new, way ${i}`, hypothesis: `It is plan ${i}.` })],
      ],
      [`architect/REQUEST/plan/a/${i + 1}`, [verdict('APPROVED')]],
      [`editor/a/CODING${suffix}`, tries(3, () => ({}), i)],
    ]),
  )
  const told = await world
    .spec('a')
    .lanes(lanes)
    .verdicts(...Array<'FAIL'>(12).fill('FAIL'))
    .ends()
  const [asked] = questionsOf(told)
  expect(asked?.question).toMatch(/^Story a ended STUCK/)
  expect(asked?.evidence).toMatch(
    /^Why: the verifier failed 12 times without a PASS of the whole change\.\n\nHypotheses:\n- It is /,
  )
  expect(asked?.evidence).not.toContain('hard_stop')
  expect(asked?.evidence).toContain('12 of 12 failed verifications')
})

test('a report names the last refusal and the last words of the model, once, and nothing is kept where nothing was changed', async () => {
  world = await createWorld({ config: { editor: { turns_without_progress: 4 } } })
  const told = await world
    .task('Say new')
    .editor(
      call('edit_file', { path: 'value.txt', old: 'none of it', new: 'new' }),
      times(40, () => ({ text: 'I have finished the task!' })),
    )
    .ends()
  expect(told.result?.outcome?.sentence).toBe('The editor got stuck. Nothing was changed.')
  const [story] = told.result?.stories ?? []
  const report = story?.stuck_report ?? ''
  expect(report.match(/I have finished the task!/g)).toHaveLength(1)
  expect(report).toMatch(/The last refusal, of edit_file:\n> .*value\.txt/)
})

test('status, report and the budget request show how much is used', async () => {
  world = await createWorld({ config: { editor: { turns_without_progress: 4 } } })
  const idle = times(40, (i) => call('list_files', { pattern: i % 2 === 0 ? 'x*' : 'y*' }))
  const told = await world
    .spec('a')
    .lanes({ 'editor/a/CODING': [...tries(2), ...idle], ...budgets(9, verdict('APPROVED')) })
    .verdicts('FAIL', 'FAIL')
    .ends()
  const run = `${told.events[0]?.run}`
  const used = /2 of 12 failed verifications/
  expect((await world.fixture.drydock('status', run)).stdout).toMatch(new RegExp(`^a: ${used.source}`, 'm'))
  expect((await world.fixture.drydock('status', run, '--json')).stdout).toContain(
    '{"name":"failed_verifications","used":2,"most":12}',
  )
  expect((await world.fixture.drydock('report', run)).stdout).toMatch(used)
  const prompt = await world.fixture.machine.store.messages(`${run}/architect/REQUEST/budget/a/2`)
  expect(JSON.stringify(prompt)).toMatch(/used of its bounds: 2 of 12 failed verifications, 1 of 2 extensions/)
})
