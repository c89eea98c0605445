import { describe, expect, onTestFinished, test } from 'vitest'
import type { Finish } from '../../src/api/finish.ts'
import type { ReceiptDetail } from '../../src/api/receipts.ts'
import type { RunDetail, RunLine, RunList, StoryLine } from '../../src/api/runs.ts'
import type { Receipt } from '../../src/domain/verification/receipt.ts'
import { servedOf } from '../server/memory-served.ts'
import { createMemoryWorld } from '../server/memory-server.ts'
import { stuckTurn } from './world/crew-conversation.ts'
import { call, change, greenLanes, plan, resultOf, type Turns, write } from './world/fixture.ts'

const fate = (id: string, settled = true) => ({ id, settled, reply: 'Done.' })

const stuck = { 'editor/review-1/PLANNING': [stuckTurn] }
const answered = {
  'editor/review-1/PLANNING': [plan()],
  'editor/review-1/CODING': [call('no_change', { reason: 'It is new already.', evidence: 'value.txt:1' })],
}
const settledOne = {
  'editor/review-1/PLANNING': [plan()],
  'editor/review-1/CODING': [write('newer\n'), change('Newer', { remarks: [fate('F-1'), fate('F-2', false)] })],
}

/** A finished task, with a comment by Ada on its line that no process has stored yet. */
async function commented(lanes: Readonly<Record<string, Turns>>, ...more: readonly string[]) {
  const world = await createMemoryWorld()
  onTestFinished(() => world.close())
  const { fixture } = world
  const model = await fixture.replay({ ...greenLanes, ...lanes })
  const { run, branch } = resultOf(await fixture.drydock('task', 'Say new', '--model', model, '--json'))
  const { page, own } = await servedOf(world)
  const remarks = [
    { path: 'value.txt', start: 1, text: 'Make it newer.', author: 'Ada' },
    ...more.map((text) => ({ text, author: 'Ada' })),
  ]
  expect((await page.post(`/api/runs/${run}/remarks`, { remarks })).status).toBe(202)
  const drydock = async (...args: string[]) => {
    const { exitCode, events, stdout, stderr } = await fixture.drydock(...args, '--json')
    return { exitCode, last: events.at(-1), said: stdout + stderr }
  }
  const finish = (of = String(run)) => page.get<Finish>(`/api/runs/${of}/finish`)
  return { fixture, page, own, run: String(run), branch: String(branch), drydock, finish }
}

/** The Run in each view: list, board, story, status and report. */
async function shownOf({ page, run, drydock }: World) {
  const list = await page.get<RunList>('/api/runs')
  const detail = await page.get<RunDetail>(`/api/runs/${run}`)
  const story = await page.get<StoryLine>(`/api/runs/${run}/stories/task`)
  const line = list.runs.find((each) => each.run === run)
  const runs = (await drydock('status', run)).last as unknown as Pick<RunLine, 'outcome' | 'held_by'>
  const report = (await drydock('report', run)).last as unknown as Pick<RunLine, 'outcome' | 'held_by'>
  return { told: [line, detail, runs, report], stories: [story, ...detail.stories] }
}

type World = Awaited<ReturnType<typeof commented>>

const ways = [['--onto', 'main'], ['--apply'], ['--pr']] as const
const goals = [{ goal: 'onto', branch: 'main' }, { goal: 'apply' }, { goal: 'change' }] as const

/** Every way to land is blocked, each message names the person, and nothing has moved. */
async function expectHeld({ fixture, page, run, drydock }: World, why: RegExp): Promise<void> {
  const before = await fixture.git('rev-parse', 'main')
  for (const way of ways) {
    const { exitCode, last } = await drydock('land', run, ...way)
    expect({ ...last, exitCode }, way[0]).toMatchObject({ exitCode: 2, code: 'not_landable' })
    expect(last?.message).toMatch(why)
  }
  for (const goal of goals) {
    const refused = await page.post(`/api/runs/${run}/land`, goal)
    expect(refused.body, goal.goal).toMatchObject({ code: 'not_landable', message: expect.stringMatching(why) })
  }
  expect(await fixture.git('rev-parse', 'main')).toBe(before)
}

describe('a comment of a person holds the result at every door', () => {
  test('from the moment that it is sent, before anybody has taken it in', async () => {
    const world = await commented({})
    await expectHeld(world, /1 comment of Ada[\s\S]*value\.txt:1: Nobody has taken it in yet/)
    expect((await world.finish()).verdict).toMatchObject({
      title: 'Built, and held by 1 comment of Ada',
      holds: [{ kind: 'comment', id: null, by: 'Ada', place: 'value.txt:1', text: 'Make it newer.', command: null }],
    })
  })

  test('while its follow-up is stuck, whose page says so and never that all is ready; accepted, it lands', async () => {
    const world = await commented(stuck)
    const { fixture, run, drydock, finish, branch } = world
    await drydock('resume', '--no-wait')
    await expectHeld(world, /1 comment of Ada[\s\S]*F-1 of Ada on value\.txt:1: The work on it ended without a change/)
    const held = 'Built, and held by 1 comment of Ada (the follow-up ended STUCK)'
    const { verdict } = await finish()
    expect(verdict).toMatchObject({ title: held, of_run: null, holds: [{ follow_up: { state: 'STUCK' } }] })
    const follow = verdict.holds[0]?.follow_up?.run ?? ''
    expect((await finish(follow)).verdict).toMatchObject({ title: 'This follow-up ended STUCK', of_run: held })
    expect((await drydock('report', run)).last).toMatchObject({
      held_by: '1 comment of Ada (the follow-up ended STUCK)',
    })

    const command = verdict.holds[0]?.command?.split(' ') ?? []
    expect(command.shift()).toBe('drydock')
    expect((await drydock(...command)).exitCode).toBe(0)
    expect((await finish(follow)).verdict).toMatchObject({ title: 'This follow-up ended STUCK', holds: [] })
    expect((await drydock('report', run)).last).toMatchObject({ held_by: null })
    const landed = await drydock('land', run, '--onto', 'main')
    expect(landed.exitCode, landed.said).toBe(0)
    expect(await fixture.git('rev-parse', 'main')).toBe(await fixture.git('rev-parse', branch))
  })

  test('while its follow-up has stopped in an error, which is not its end: its page says so', async () => {
    const failure = { error: { kind: 'auth', message: 'no', retryable: false } }
    const world = await commented({ 'editor/review-1/PLANNING': [failure] })
    await world.drydock('resume', '--no-wait')
    const follow = (await world.finish()).verdict.holds[0]?.follow_up
    expect(follow?.state).toBe('ERROR')
    expect((await world.finish(follow?.run)).verdict.title).toBe('This follow-up is ERROR')
    await world.drydock('cancel', follow?.run ?? '')
    expect((await world.finish(follow?.run)).verdict.title).toBe('This follow-up ended CANCELLED')
  })

  test('while it is only answered; one click on the page accepts it', async () => {
    const world = await commented(answered)
    const { page, own, drydock, finish } = world
    await drydock('resume', '--no-wait')
    await expectHeld(world, /answered without a change/)
    const [hold] = (await finish()).verdict.holds
    await own()
    const reason = 'The word is fine.'
    const accepted = await page.post(`/api/runs/${hold?.run}/accept`, { findings: [hold?.id], reason })
    expect(accepted.body).toMatchObject({ handed: 'applied' })
    expect(await finish()).toMatchObject({
      refusal: null,
      change_refusal: null,
      verdict: { holds: [] },
      findings: [{ id: hold?.id, state: 'accepted', accepted_by: 'human', accepter: null, reason }],
    })
  })

  test('also where another one of the same review was settled by a commit', async () => {
    const world = await commented(settledOne, 'Say why.')
    const { run, drydock, finish, branch, fixture } = world
    await drydock('resume', '--no-wait')
    await expectHeld(world, /held by 1 comment of Ada\.[\s\S]*F-2 of Ada/)
    expect((await finish()).verdict.holds.map(({ id }) => id)).toEqual(['F-2'])
    expect((await drydock('accept', run, 'F-2')).exitCode).toBe(0)
    expect((await drydock('land', run, '--onto', 'main')).exitCode).toBe(0)
    expect(await fixture.git('show', `main:value.txt`)).toBe('newer')
    expect(await fixture.git('rev-parse', 'main')).toBe(await fixture.git('rev-parse', branch))
  })
})

describe('one verdict at every door', () => {
  test('names what holds the result, and is good again once that is accepted', async () => {
    const world = await commented(stuck)
    await world.drydock('resume', '--no-wait')
    const held = await shownOf(world)
    const by = '1 comment of Ada (the follow-up ended STUCK)'
    const outcome = { code: 'HELD', tone: 'waiting', sentence: `Built, and held by ${by}.`, label: 'Held by 1 comment' }
    for (const told of held.told) expect(told).toMatchObject({ held_by: by, outcome })
    for (const story of held.stories) expect(story).toMatchObject({ outcome: 'HELD', outcome_label: outcome.label })
    const [hold] = (await world.finish()).verdict.holds
    expect((await world.drydock('accept', world.run, hold?.id ?? '')).exitCode).toBe(0)
    const free = await shownOf(world)
    for (const told of free.told) expect(told).toMatchObject({ held_by: null, outcome: { code: 'DONE', tone: 'good' } })
    for (const story of free.stories) expect(story.outcome).toBe('DONE')
  })

  test('says where the result has landed', async () => {
    const world = await commented(answered)
    await world.own()
    await expect.poll(async () => (await world.finish()).verdict.holds[0]?.follow_up?.state).toBe('NO_CHANGE')
    await world.page.post(`/api/runs/${world.run}/accept`, { findings: ['F-1'] })
    await world.page.post(`/api/runs/${world.run}/land`, { goal: 'onto', branch: 'main' })
    await expect.poll(async () => (await world.finish()).verdict.title).toBe('Landed on main')
    const [line, detail] = (await shownOf(world)).told
    expect(line?.outcome).toMatchObject({ code: 'DONE', label: 'Landed on main' })
    expect(detail?.outcome).toEqual(line?.outcome)
  })
})

describe('a person lands what others hold', () => {
  const anyway = 'The release waits.'
  const landed = { reason: anyway, held_by: '1 comment of Ada (the follow-up ended STUCK)' }
  const receiptOf = async ({ page, finish }: World) => {
    const { sha } = await finish()
    return (await page.get<ReceiptDetail>(`/api/receipts/${sha}`)).receipt as Receipt
  }

  test.each<[readonly string[]]>(ways.map((way) => [way]))(
    'by command line with a reason, which the receipt keeps: %s',
    async (way) => {
      const world = await commented(stuck)
      const { run, drydock } = world
      await drydock('resume', '--no-wait')
      expect((await drydock('land', run, ...way, '--anyway', ' ')).exitCode).toBe(2)
      expect((await receiptOf(world)).landed_anyway).toBe(undefined)
      const { exitCode, said } = await drydock('land', run, ...way, '--anyway', anyway)
      // The person's decision lets it pass, and only the forge is missing.
      if (way[0] === '--pr') return expect(said).toContain('has no remote')
      expect(exitCode, said).toBe(0)
      expect((await receiptOf(world)).landed_anyway).toMatchObject(landed)
      expect((await drydock('receipt', 'verify', (await world.finish()).sha ?? '')).exitCode).toBe(0)
    },
  )

  test('by the page, which keeps out what is said later', async () => {
    const world = await commented(stuck)
    const { run, drydock, page, finish, own, fixture } = world
    await drydock('resume', '--no-wait')
    await page.post(`/api/runs/${run}/land`, { goal: 'onto', branch: 'main', anyway })
    const remarks = [{ text: 'One more.', author: 'Bea' }]
    expect((await page.post(`/api/runs/${run}/remarks`, { remarks })).status).toBe(202)
    await own()
    await expect.poll(async () => (await finish()).landings[0]?.state).toBe('REFUSED')
    expect((await finish()).landings[0]?.refusal?.message).toContain('of Bea')
    const again = await page.post(`/api/runs/${run}/land`, { goal: 'onto', branch: 'main', anyway })
    expect(again.status).toBe(202)
    await expect.poll(async () => (await finish()).landings[0]?.state).toBe('LANDED')
    expect((await receiptOf(world)).landed_anyway).toMatchObject({ reason: anyway })
    expect(await fixture.git('show', 'main:value.txt')).toBe('new')
  })

  test('and nothing is noted where nothing holds it', async () => {
    const world = await commented(settledOne)
    const { run, drydock } = world
    await drydock('resume', '--no-wait')
    await drydock('accept', run, ...(await world.finish()).verdict.holds.flatMap(({ id }) => id ?? []))
    const { exitCode, said } = await drydock('land', run, '--onto', 'main', '--anyway', anyway)
    expect(exitCode, said).toBe(0)
    expect((await receiptOf(world)).landed_anyway).toBe(undefined)
  })
})
