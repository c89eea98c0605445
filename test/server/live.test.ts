import { afterEach, describe, expect, test } from 'vitest'
import type { Chat } from '../../src/api/chat.ts'
import type { Event } from '../../src/api/events.ts'
import type { Report, RunDetail, RunList } from '../../src/api/runs.ts'
import type { StoryDetail } from '../../src/api/stories.ts'
import { limits } from '../../src/domain/limits.ts'
import type { Owner } from '../../src/ports/owner.ts'
import { alwaysGreen, approve, build, greenStory, specLanes } from '../scenarios/world/crew.ts'
import { crewOf } from '../scenarios/world/crew-conversation.ts'
import { call, change, type Fixture, greenLanes, plan, write } from '../scenarios/world/fixture.ts'
import { createGates, type Gates } from '../world/gates.ts'
import { ask } from './browser.ts'
import { type MemoryServer, servedOf } from './memory-served.ts'
import { createMemoryWorld, type MemoryWorld, type ServedOptions } from './memory-server.ts'

let world: MemoryWorld
let gates: Gates
let served: MemoryServer
let owner: Owner | null = null

afterEach(async () => {
  owner = null
  gates.openAll()
  await world.close()
})

async function makeWorld(options: ServedOptions = {}): Promise<void> {
  gates = createGates()
  world = await createMemoryWorld({ ...options, programs: gates.programs })
}

/** The shortest path to green, with a command that waits for its gate. */
const gatedLanes = {
  'editor/task/PLANNING': [plan()],
  'editor/task/CODING': [call('run_command', { command: 'gate held' }), write('new\n'), change()],
}

const look = (pattern = '*.txt') => call('list_files', { pattern })

/**
 * The code's reviewer reads and then has no request left; the next one is sent once a human has
 * answered.
 */
const lostCrew = {
  ...specLanes('one', { id: 'two', depends_on: ['one'] }),
  ...greenStory('one'),
  ...greenStory('two'),
  'architect/REQUEST/code/one/1': [look('*.txt'), look('*.md'), approve()],
}
const lost = { config: { architect: { request_soft_limit: 2, request_hard_limit: 3 } } }

async function serveCrew(): Promise<string> {
  await makeWorld({ steps: [alwaysGreen], ...lost })
  const model = await world.fixture.replay(lostCrew)
  served = await servedOf(world, { model })
  owner = await world.own()
  return model
}

async function serveTask(lanes: Parameters<Fixture['replay']>[0]): Promise<void> {
  await makeWorld()
  served = await servedOf(world, { model: await world.fixture.replay(lanes) })
  owner = await world.own()
}

const isResult = (event: Event) => event.type === 'result'
const isMove = (to: string) => (event: Event) => event.type === 'state' && event.data.to === to

/** Expects every event once, in order. */
function expectWhole(events: readonly Event[], last: number): void {
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: last }, (_, i) => i + 1))
}

test('a spec is started from the page, asks a human there, and continues while the page is open', async () => {
  await serveCrew()
  const { page } = served
  const stream = await page.events()
  await stream.untilOwned(true)
  const started = await page.post('/api/runs', { spec: '# The files\n\nMake them.' })
  expect(started).toEqual({
    status: 202,
    body: { run: expect.stringMatching(/^the-files-[0-9a-f]{6}$/), handed: 'applied', command: expect.any(String) },
  })
  const run = String(started.body.run)

  const asked = await stream.until((event) => event.type === 'escalation')
  const message = String(asked.data.id)
  const waiting = await page.get<RunDetail>(`/api/runs/${run}`)
  expect(waiting).toMatchObject({
    state: 'MONITORING',
    interrupted: false,
    architect: { state: 'ESCALATED', requests: [{ story: 'one', kind: 'code', round: 1, state: 'ESCALATED' }] },
    escalations: [
      { id: message, run, story: 'one', agent_id: 'architect', answered: false, question: asked.data.question },
    ],
    stories: [
      { id: 'one', state: 'CODE_REVIEW', working: null, escalation: message },
      { id: 'two', state: expect.stringMatching(/QUEUED|BLOCKED/), depends_on: ['one'], escalation: null },
    ],
    can: { cancel: true, resume: false, retry: false, budget: true, post: true },
  })
  expect(waiting.escalations[0]?.evidence).toContain('Tried: ')
  expect((await page.get<RunList>('/api/runs')).escalations).toEqual(waiting.escalations)
  expect((await page.get<Chat>(`/api/runs/${run}/chat`)).messages).toMatchObject([{ id: message, open: true }])

  expect(await page.post(`/api/runs/${run}/posts`, { text: 'Mind the others.' })).toMatchObject({ status: 202 })
  expect(await page.post(`/api/messages/${message}/reply`, { text: 'Look at one.txt.' })).toEqual({
    status: 202,
    body: { run, handed: 'applied', command: expect.any(String) },
  })
  await stream.until(isResult)
  const done = await page.get<RunDetail>(`/api/runs/${run}`)
  expect(done).toMatchObject({
    state: 'DONE',
    escalations: [],
    stories: [{ state: 'DONE' }, { state: 'DONE' }],
    request: { text: '# The files\n\nMake them.' },
  })
  expect((await page.get<Chat>(`/api/runs/${run}/chat`)).messages).toMatchObject([
    { id: message, open: false },
    { agent_id: 'human', content: 'Mind the others.', reply_to: null, story: null },
    { agent_id: 'human', content: 'Look at one.txt.', reply_to: message },
  ])
  const crew = crewOf(world.fixture, run)
  for (const lane of ['architect/REQUEST/code/one/1', 'editor/two/PLANNING', 'architect/REQUEST/code/two/1']) {
    const heard = (await crew.messages(lane)).filter(
      (said) => said.role === 'user' && said.text.includes('Mind the others.'),
    )
    expect([lane, heard.length]).toEqual([lane, 1])
  }
  expectWhole(stream.events, done.last_event)
  expect(await page.post(`/api/messages/${message}/reply`, { text: 'Again.' })).toMatchObject({
    status: 409,
    body: { code: 'already_done' },
  })
  const again = await page.post('/api/runs', { spec: '# The files\n\nMake them.' })
  expect(again).toMatchObject({ status: 409, body: { code: 'already_done', message: expect.stringContaining(run) } })
})

test('the same spec is not begun twice, also while nobody has taken up the first one', async () => {
  await makeWorld()
  const { page } = await servedOf(world, { model: await world.fixture.replay(specLanes('one')) })
  const post = () => page.post('/api/runs', { spec: 'Make the files' })
  const { body } = await post()
  expect(await post()).toMatchObject({
    status: 409,
    body: { code: 'already_done', message: `The same spec already has a run: ${body.run} waits to start.` },
  })
})

describe('the event stream', () => {
  test('misses nothing and repeats nothing, wherever a page was cut off', async () => {
    const model = await serveCrew()
    const { page } = served
    const seen: Event[] = []
    const first = await page.events()
    await first.untilOwned(true)
    const { body } = await page.post('/api/runs', { spec: 'Make the files', models: { default: model } })
    await first.until(({ id }) => id >= 3)
    first.close()
    seen.push(...first.events)
    for (const until of [
      isMove('PLANNING'),
      isMove('CODING'),
      isMove('VERIFYING'),
      ({ type }: Event) => type === 'escalation',
    ]) {
      const next = await page.events('/api/events?after=0', { 'Last-Event-ID': String(seen.at(-1)?.id) })
      if (!seen.some(until)) await next.until(until)
      next.close()
      seen.push(...next.events)
    }
    const last = await page.events(`/api/events?after=${seen.at(-1)?.id}`)
    const asked = seen.find((event) => event.type === 'escalation')
    await page.post(`/api/messages/${asked?.data.id}/reply`, { text: 'Go on.' })
    await last.until(isResult)
    seen.push(...last.events)
    expectWhole(seen, (await page.get<RunDetail>(`/api/runs/${body.run}`)).last_event)
  })

  test('begins with what happens next, says who works, and ends with the server', async () => {
    await serveTask(greenLanes)
    const { page } = served
    const { body } = await page.post('/api/tasks', { task: 'say new' })
    const before = await page.events('/api/events?after=0')
    await before.until(isResult)
    const stream = await page.events()
    const unknown = await page.events('/api/events?after=100000')
    await stream.untilOwned(true)
    await owner?.stop({ drain: true })
    owner = null
    await stream.untilOwned(false)
    await unknown.untilOwned(false)
    expect([stream.events, unknown.events]).toEqual([[], []])
    expect(await page.post(`/api/runs/${body.run}/posts`, { text: 'Hello' })).toMatchObject({ status: 409 })
    owner = await world.own()
    await stream.untilOwned(true)
    const next = await page.post('/api/tasks', { task: 'say new again', dry_run: true })
    await stream.until(({ run }) => run === next.body.run)
    await unknown.until(({ run }) => run === next.body.run)
    await served.close()
    await stream.ended
  })

  test('is given up when its page has gone, so that others find room', async () => {
    await serveTask({})
    for (let i = 0; i < 3; i += 1) {
      const streams = await Promise.all(Array.from({ length: limits.dashboard.streams }, () => served.page.events()))
      await Promise.all(streams.map((stream) => stream.untilOwned(true)))
      expect((await served.page.events()).status).toBe(503)
      for (const stream of streams) stream.close()
      // The server has noticed the closed stream once there is room for another.
      for (let status = 503; status === 503; ) {
        const stream = await served.page.events()
        status = stream.status
        stream.close()
      }
      await Promise.all(Array.from({ length: 20 }, () => ask(served.port, '/server')))
    }
  })
})

describe('a task', () => {
  test('is done as it was asked for, and seen at each step', async () => {
    await serveTask(gatedLanes)
    const { page } = served
    const asking = {
      task: 'say new',
      constraints: ['be brief'],
      non_goals: ['no docs'],
      files: ['value.txt'],
      budget_usd: 3,
    }
    const { body } = await page.post('/api/tasks', asking)
    const run = String(body.run)
    await gates.reached('held')
    // The server notices its owner by itself.
    await expect
      .poll(() => page.get<StoryDetail>(`/api/runs/${run}/stories/task`))
      .toMatchObject({
        id: 'task',
        title: 'say new',
        state: 'CODING',
        slot: 'coder-001',
        attempt: 1,
        verifications: 0,
        working: { agent: 'editor', lane: 'editor/task/CODING' },
        constraints: ['be brief'],
        non_goals: ['no docs'],
      })
    expect(await page.get<RunDetail>(`/api/runs/${run}`)).toMatchObject({
      budget: { run_usd: 3, story_usd: 3 },
      architect: null,
    })
    expect(await page.post(`/api/runs/${run}/posts`, { story: 'task', text: 'Mind the end.' })).toMatchObject({
      status: 202,
    })
    expect(await page.post(`/api/runs/${run}/budget`, { run_usd: 2, run_tokens: 5 })).toMatchObject({ status: 202 })
    expect((await page.get<RunDetail>(`/api/runs/${run}`)).budget).toMatchObject({ run_usd: 5, run_tokens: 20_000_005 })
    for (const [path, given, status] of [
      [`/api/runs/${run}/resume`, {}, 409],
      [`/api/runs/${run}/retry`, {}, 400],
      [`/api/runs/${run}/budget`, {}, 400],
      [`/api/runs/${run}/posts`, { story: 'none', text: 'x' }, 404],
      ['/api/runs/none/cancel', {}, 404],
      ['/api/tasks', { task: 'x', files: ['../x'] }, 400],
      ['/api/tasks', { task: 'x', target: 'nowhere' }, 400],
      ['/api/messages/1x/reply', { text: 'x' }, 400],
    ] as const) {
      expect([path, (await page.post(path, given)).status]).toEqual([path, status])
    }
    const stream = await page.events('/api/events?after=0')
    gates.open('held')
    const { data } = await stream.until(isResult)
    expect(data).toMatchObject({ status: 'DONE', branch: expect.stringContaining('drydock/') })
    expect((await page.get<Report>(`/api/runs/${run}/report`)).markdown).toContain('Say new')
    expect(await page.post(`/api/runs/${run}/cancel`, {})).toMatchObject({
      status: 409,
      body: { code: 'already_done' },
    })
  })

  test('that got stuck is retried with guidance, and a running one is cancelled', async () => {
    await serveTask({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': Array.from({ length: 40 }, (_, i) => ({ text: `Thinking of ${i}.` })),
      'editor/task@2/PLANNING': [plan()],
      'editor/task@2/CODING': [write('new\n'), change()],
    })
    const { page } = served
    const stream = await page.events()
    await stream.untilOwned(true)
    const { body } = await page.post('/api/tasks', { task: 'say new' })
    const stuck = await stream.until(isResult)
    expect(stuck.data.status).toBe('STUCK')
    const run = await page.get<RunDetail>(`/api/runs/${body.run}`)
    expect(run.can).toMatchObject({ retry: true, cancel: true, budget: false })
    expect(await page.get<StoryDetail>(`/api/runs/${body.run}/stories/task`)).toMatchObject({
      state: 'STUCK',
      stuck_report: expect.stringContaining('# Stuck'),
      stopped_because: expect.stringContaining('called no tool'),
    })
    expect(await page.post(`/api/runs/${body.run}/retry`, { guidance: 'Just do it.' })).toMatchObject({ status: 202 })
    await stream.until((event) => isResult(event) && event.id > stuck.id)
    expect(await page.get<RunDetail>(`/api/runs/${body.run}`)).toMatchObject({
      state: 'DONE',
      stories: [{ retries: 1 }],
    })
  })

  test('is cancelled from the page', async () => {
    await serveTask(gatedLanes)
    const { page } = served
    const { body } = await page.post('/api/tasks', { task: 'say new' })
    await gates.reached('held')
    const stream = await page.events('/api/events?after=0')
    expect(await page.post(`/api/runs/${body.run}/cancel`, {})).toEqual({
      status: 202,
      body: { run: body.run, handed: 'applied', command: expect.any(String) },
    })
    expect((await stream.until(isResult)).data.status).toBe('CANCELLED')
  })

  test('is paused and resumed from the page', async () => {
    await serveTask(gatedLanes)
    const { page } = served
    const { body } = await page.post('/api/tasks', { task: 'say new' })
    const path = `/api/runs/${body.run}`
    await gates.reached('held')
    const stream = await page.events('/api/events?after=0')
    const working = await page.get<RunDetail>(path)
    expect(working.can).toMatchObject({ pause: true, resume: false })
    expect(working.cannot).toMatchObject({ resume: expect.stringContaining('needs no resume') })
    expect(Object.keys(working.cannot)).not.toContain('pause')
    expect(await page.post(`${path}/pause`, {})).toEqual({
      status: 202,
      body: { run: body.run, handed: 'applied', command: expect.any(String) },
    })
    const pausing = await page.get<RunDetail>(path)
    expect(pausing).toMatchObject({ state: 'MONITORING', pause: { user: 'pausing', budget: null } })
    expect(pausing.can).toMatchObject({ pause: false, resume: true, cancel: true, budget: true })
    gates.open('held')
    expect((await stream.until(isResult)).data).toMatchObject({ status: 'PAUSED', paused_by: 'user' })
    const paused = await page.get<RunDetail>(path)
    expect(paused).toMatchObject({
      state: 'PAUSED',
      interrupted: false,
      pause: { user: 'paused', how: 'by hand', budget: null, provider: null },
      outcome: { label: 'Paused by hand' },
      stories: [{ state: 'PAUSED', outcome_label: 'Paused by hand', working: null }],
      can: { pause: false, resume: true },
    })
    expect(await page.post(`${path}/pause`, {})).toMatchObject({
      status: 409,
      body: { code: 'already_done', message: expect.stringContaining('is already PAUSED by hand') },
    })
    expect(await page.post(`${path}/resume`, {})).toMatchObject({ status: 202 })
    await stream.until(({ type, data }) => type === 'result' && data.status === 'DONE')
    expect((await page.get<RunDetail>(path)).pause).toEqual({ budget: null, provider: null, user: null })
    expect(await page.post(`${path}/pause`, {})).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('has ended: DONE') },
    })
  })

  test('waits where nobody works, and says so', async () => {
    await makeWorld()
    served = await servedOf(world, { model: await world.fixture.replay(greenLanes) })
    const { page } = served
    expect(await page.get<RunList>('/api/runs')).toMatchObject({
      owned: false,
      last_event: 0,
      runs: [],
      escalations: [],
    })
    const asked = await page.post('/api/tasks', { task: 'say new' })
    expect(asked).toMatchObject({ status: 202, body: { handed: 'recorded' } })
    owner = await world.own()
    const stream = await page.events('/api/events?after=0')
    expect((await stream.until(isResult)).run).toBe(asked.body.run)
  })
})

test('a run that nobody works on is shown as interrupted', async () => {
  await makeWorld({ steps: [alwaysGreen], ...lost })
  const built = await build(world.fixture, lostCrew)
  served = await servedOf(world)
  expect(built.exitCode).toBe(6)
  const { runs, escalations } = await served.page.get<RunList>('/api/runs')
  expect(runs).toMatchObject([{ state: 'MONITORING', interrupted: true, ended_at: null, escalations: 1, branch: null }])
  const reply = await served.page.post(`/api/messages/${escalations[0]?.id}/reply`, { text: 'Go on.' })
  expect(reply).toMatchObject({ status: 202, body: { handed: 'recorded' } })
  expect((await served.page.get<RunList>('/api/runs')).escalations).toMatchObject([{ answered: true }])
})
