import { afterEach, describe, expect, test } from 'vitest'
import { actsOf } from '../../../src/app/operations/acts-of.ts'
import { readChat } from '../../../src/app/views/chat.ts'
import type { ChatMessage } from '../../../src/domain/chat.ts'
import type { StateReader } from '../../../src/ports/store.ts'
import { createCrewFixture, type Fixture, type Running } from '../../world/fixture.ts'
import { approve, build, greenStory, type Lanes, reply, specLanes } from '../world/crew.ts'
import { type CommandResult, call, resultOf } from '../world/fixture.ts'
import { processesOf } from '../world/process.ts'

const config = {
  architect: { scoping_soft_limit: 2, scoping_hard_limit: 3, request_soft_limit: 2, request_hard_limit: 3 },
}

let fixture: Fixture
afterEach(() => fixture.remove())

const look = (pattern = '*.txt') => call('list_files', { pattern })
/** A review up to its limit, and its end after a human's answer. */
const lost = [look('*.txt'), look('*.md'), approve()]

const lostCrew: Lanes = {
  ...specLanes('one', 'two'),
  ...greenStory('one'),
  ...greenStory('two'),
  'architect/REQUEST/code/one/1': lost,
}

async function start(lanes: Lanes, ...flags: string[]): Promise<CommandResult> {
  fixture = await createCrewFixture({ config })
  return build(fixture, lanes, ...flags)
}

async function read<T>(reading: (records: StateReader) => Promise<T>): Promise<T> {
  const records = (await fixture.open()).openRecords()
  return reading(records).finally(() => records.close())
}

const chat = (run: string) => read((records) => records.chat({ run }))
const questions = (run: string) => read((records) => records.chat({ run, postType: 'escalate' }))
const runOf = ({ events }: CommandResult) => String(events[0]?.run)

async function statesOf(run: string): Promise<Readonly<Record<string, string>>> {
  const machines = await read((records) => records.machines({ kind: 'story', run }))
  return Object.fromEntries(machines.map(({ story, state }) => [story, state]))
}

/** The human's messages in a lane: the user messages with guidance. */
async function guidanceIn(run: string, lane: string): Promise<readonly string[]> {
  const messages = await read((records) => records.messages(`${run}/${lane}`))
  return messages.flatMap((message) =>
    message.role === 'user' && message.text.includes('<guidance from="human" key=') ? [message.text] : [],
  )
}

const resume = (...flags: string[]) => fixture.drydock('resume', '--json', '--no-wait', ...flags)

async function answerIn(run: string) {
  const events = await read((records) => records.recentEvents({ run, types: ['escalation_answered'], limit: 9 }))
  expect(events).toHaveLength(1)
  return events[0]?.data ?? { answer: '' }
}

async function onlyQuestion(run: string): Promise<ChatMessage> {
  const [question, ...more] = await questions(run)
  if (!question) throw new Error('nothing was asked')
  expect(more).toEqual([])
  return question
}

describe('a reviewer that never submits', () => {
  test('asks a human with what it tried, holds up nobody else, and waits without a job: exit code 6', async () => {
    const waiting = await start(lostCrew)
    const run = runOf(waiting)
    expect(waiting.exitCode, waiting.stderr).toBe(6)
    expect(waiting.events.filter(({ type }) => type === 'result')).toEqual([])
    expect(await statesOf(run)).toEqual({ one: 'CODE_REVIEW', two: 'DONE' })
    const { id, content, story, agent_id } = await onlyQuestion(run)
    expect({ story, agent_id }).toEqual({ story: 'one', agent_id: 'architect' })
    expect(content).toMatch(
      /REQUEST\/code\/one\/1\) has reached its iteration limit[\s\S]*Tried: 2 turns[\s\S]*list_files/,
    )
    expect(waiting.events).toContainEqual(expect.objectContaining({ type: 'escalation', id, story: 'one' }))
    expect(await read((records) => records.isIdle(run))).toBe(true)
    expect(await processesOf(fixture.folder)).toEqual([])
  })

  test('continues in the same lane, with its count at 0, with a reply that was given while no process ran', async () => {
    const run = runOf(await start(lostCrew))
    const { id } = await onlyQuestion(run)
    expect(await fixture.drydock('reply', id, 'One file is all there is.')).toMatchObject({ exitCode: 0 })
    expect(await questions(run)).toHaveLength(1)
    const done = await resume()
    expect(resultOf(done)).toMatchObject({ status: 'DONE', run })
    expect(await guidanceIn(run, 'architect/REQUEST/code/one/1')).toEqual([
      expect.stringContaining('One file is all there is.'),
    ])
    expect(await chat(run)).toMatchObject([
      { id, post_type: 'escalate' },
      { agent_id: 'human', post_type: 'reply', reply_to: id, content: 'One file is all there is.', story: 'one' },
    ])
  })

  test('asks again when it is lost again', async () => {
    const lanes = {
      ...lostCrew,
      'architect/REQUEST/code/one/1': [look('*.txt'), look('*.md'), look('a'), look('b'), approve()],
    }
    const run = runOf(await start(lanes))
    await fixture.drydock('reply', (await onlyQuestion(run)).id, 'Look once more.')
    expect((await resume()).exitCode).toBe(6)
    const [, second] = await questions(run)
    await fixture.drydock('reply', second?.id ?? '', 'Enough.')
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
    expect(await guidanceIn(run, 'architect/REQUEST/code/one/1')).toHaveLength(2)
  })

  test('is one that makes the same call over and over, too', async () => {
    fixture = await createCrewFixture()
    const same = [...Array(5).fill(look()), approve()]
    const waiting = await build(fixture, {
      ...lostCrew,
      'architect/REQUEST/plan/one/1': same,
      'architect/REQUEST/code/one/1': [approve()],
    })
    const run = runOf(waiting)
    expect(waiting.exitCode, waiting.stderr).toBe(6)
    const { id, content } = await onlyQuestion(run)
    expect(content).toContain('made the same call with the same result five times in a row')
    await fixture.drydock('reply', id, 'Decide.')
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
  })
})

test('a reviewer that makes no usable call is asked again once, and then a human learns the cause', async () => {
  fixture = await createCrewFixture()
  const malformed = [...Array(5).fill(call('submit_reply', { verdict: 'fine' }))]
  const plan = 'architect/REQUEST/plan/one/1'
  const lanes = { ...lostCrew, 'architect/REQUEST/code/one/1': [approve()] }
  const waiting = await build(fixture, { ...lanes, [plan]: malformed, [`${plan}.2`]: [...malformed, approve()] })
  const run = runOf(waiting)
  expect(waiting.exitCode, waiting.stderr).toBe(6)
  const { id, content } = await onlyQuestion(run)
  expect(content).toMatch(
    /^The model replay:\S+ of the architect \(REQUEST\/plan\/one\/1\.2\) did not make one usable call/,
  )
  expect(content).toContain(`drydock resume ${run} --architect-model <id>`)
  expect(content).not.toContain('the same call with the same result')
  await fixture.drydock('reply', id, 'Decide.')
  expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
})

test('an architect that is lost in SCOPING escalates the Run, which goes back there with the guidance', async () => {
  const lanes = { ...lostCrew, 'architect/REQUEST/code/one/1': [approve()] }
  const waiting = await start({ ...lanes, 'architect/SCOPING': [look('*.txt'), look('*.md'), reply('Small.')] })
  const run = runOf(waiting)
  expect(waiting.exitCode, waiting.stderr).toBe(6)
  const question = await onlyQuestion(run)
  expect(question).toMatchObject({ story: null, content: expect.stringContaining('(SCOPING)') })
  expect(await read((records) => records.machine(run))).toMatchObject({ state: 'ESCALATED' })
  expect(await read((records) => records.isIdle(run))).toBe(true)
  await fixture.drydock('reply', question.id, 'It is small.')
  const done = await resume()
  expect(resultOf(done)).toMatchObject({ status: 'DONE' })
  const moves = done.events.filter(({ type }) => type === 'run_state').map(({ to }) => to)
  expect(moves).toEqual(['SCOPING', 'STORY_GENERATION', 'MONITORING', 'DONE'])
})

describe('two questions at once', () => {
  const lanes = { ...lostCrew, 'architect/REQUEST/plan/two/1': lost }

  test('are answered in the other order, each for its own', async () => {
    const run = runOf(await start(lanes))
    const asked = await questions(run)
    const of = (story: string) => asked.find((each) => each.story === story)?.id ?? ''
    expect(asked).toHaveLength(2)
    const [first, second] = asked.map(({ story }) => story as string)
    await fixture.drydock('reply', of(second ?? ''), `For ${second}.`)
    expect((await resume()).exitCode).toBe(6)
    expect((await statesOf(run))[second ?? '']).toBe('DONE')
    await fixture.drydock('reply', of(first ?? ''), `For ${first}.`)
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
    expect(await guidanceIn(run, 'architect/REQUEST/code/one/1')).toEqual([expect.stringContaining('For one.')])
    expect(await guidanceIn(run, 'architect/REQUEST/plan/two/1')).toEqual([expect.stringContaining('For two.')])
  })

  test('are answered by the recorded human, each by its number', async () => {
    fixture = await createCrewFixture({ config })
    const human = [1, 2].map((escalation) => ({ escalation, reply: `Answer ${escalation}.` }))
    const model = await fixture.replay(lanes, { human })
    const done = await fixture.drydock('run', 'Make the files', '--model', model, '--json', '--wait')
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    const said = await chat(runOf(done))
    const asked = said.filter(({ post_type }) => post_type === 'escalate')
    expect(asked).toHaveLength(2)
    for (const [i, { id }] of asked.entries()) {
      expect(said.filter(({ reply_to }) => reply_to === id)).toMatchObject([{ content: `Answer ${i + 1}.` }])
    }
  })
})

describe('a reply', () => {
  test('to a message without an open question is refused, and changes nothing', async () => {
    const run = runOf(await start(lostCrew))
    const { id } = await onlyQuestion(run)
    expect(await fixture.drydock('reply', '99', 'Hello')).toMatchObject({ exitCode: 2 })
    expect(await fixture.drydock('reply', id, ' ')).toMatchObject({ exitCode: 2 })
    expect(await fixture.drydock('reply', id, 'First')).toMatchObject({ exitCode: 0 })
    expect(await fixture.drydock('reply', id, 'Second')).toMatchObject({ exitCode: 2 })
    const drydock = await fixture.open()
    // Replies that passed the check in a race.
    await drydock.submit('late', { kind: 'reply', run, message: id, text: 'Third' })
    await drydock.submit('foreign', { kind: 'reply', run, message: '99', text: 'Nobody' })
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
    expect(await guidanceIn(run, 'architect/REQUEST/code/one/1')).toEqual([expect.stringContaining('First')])
    const said = await chat(run)
    expect(said.map(({ content }) => content).slice(1)).toEqual(['First', 'Third'])
    // Afterwards the chat command, the report and the page say which reply counts.
    const [, first, third] = said.map((message) => message.id)
    const mark = `not used: message ${first} is the answer`
    const shown = await fixture.drydock('chat')
    expect(shown.stdout.split('\n').filter((line) => line.includes('not used'))).toEqual([
      expect.stringMatching(new RegExp(`^ *#${third} .*${mark}$`)),
    ])
    expect((await fixture.drydock('report')).stdout).toContain(`Not used: message ${first} is the answer.`)
    const page = await read((records) => readChat({ records }, run))
    expect(page.messages.map(({ unused }) => unused)).toEqual([null, null, `message ${first} is the answer`])
    expect(await fixture.drydock('reply', id, 'Fourth')).toMatchObject({ exitCode: 2 })
  })

  const drydock = (...args: string[]): Running => fixture.launch(args)

  test('is heard by the process that waits; of two at once only one is the answer', async () => {
    fixture = await createCrewFixture({ config })
    const model = await fixture.replay(lostCrew)
    const owner = drydock('run', 'Make the files', '--model', model, '--json', '--wait')
    const { id } = JSON.parse(await owner.line(/"type":"escalation"/))
    const words = ['One', 'Another', 'A third']
    const told = await Promise.all(words.map((word) => drydock('reply', id, word).ended))
    const done = await owner.ended
    const { answer } = await answerIn(runOf(done))
    expect(words).toContain(answer)
    for (const [i, { exitCode, stdout, stderr }] of told.entries()) {
      if (words[i] === answer) expect([exitCode, stdout]).toEqual([0, 'Handed over.\n'])
      else expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining('Your answer was not used.')])
    }
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    expect(done.events.filter(({ type }) => type === 'escalation_answered')).toHaveLength(1)
    expect(await guidanceIn(runOf(done), 'architect/REQUEST/code/one/1')).toHaveLength(1)
  })

  test('at the same moment as another one, while nothing runs, is told which of them will be the answer', async () => {
    const run = runOf(await start(lostCrew))
    const { id } = await onlyQuestion(run)
    const open = await fixture.open()
    const words = ['One', 'Another']
    const told = await Promise.allSettled(words.map(async (word) => (await actsOf(open)).reply({ id, text: word })))
    const lost = told.filter(({ status }) => status === 'rejected')
    expect(lost).toMatchObject([{ reason: { code: 'already_done', message: expect.stringContaining('was not used') } }])
    await resume()
    const used = words.filter((_, i) => told[i]?.status === 'fulfilled')
    expect([(await answerIn(run)).answer]).toEqual(used)
  })

  test('that lost to another one is refused again when its request is repeated over HTTP', async () => {
    const run = runOf(await start(lostCrew))
    const { id } = await onlyQuestion(run)
    const open = await fixture.open()
    const reply = async (key: string) => (await actsOf(open, { key })).reply({ id, text: `by ${key}` })
    const told = await Promise.allSettled([reply('a'), reply('b')])
    const again = await Promise.allSettled([reply('a'), reply('b')])
    expect(again.map(({ status }) => status)).toEqual(told.map(({ status }) => status))
    expect(told.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await resume()
    const later = await Promise.allSettled([reply('a'), reply('b')])
    expect(later.map(({ status }) => status)).toEqual(told.map(({ status }) => status))
  })

  test('finds its question also after the process that waited was killed', async () => {
    fixture = await createCrewFixture({ config })
    const model = await fixture.replay(lostCrew)
    const owner = drydock('run', 'Make the files', '--model', model, '--json', '--wait')
    const { id, run } = JSON.parse(await owner.line(/"type":"escalation"/))
    owner.kill('SIGKILL')
    await owner.ended
    const again = await resume()
    expect(again.exitCode).toBe(6)
    expect(await onlyQuestion(run)).toMatchObject({ id })
    await fixture.drydock('reply', id, 'Go on.')
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
    expect(await guidanceIn(run, 'architect/REQUEST/code/one/1')).toHaveLength(1)
  })
})
