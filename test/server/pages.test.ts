import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chat } from '../../src/api/chat.ts'
import type { EventList } from '../../src/api/events.ts'
import type { Figures } from '../../src/api/figures.ts'
import type { History } from '../../src/api/history.ts'
import type { Machines } from '../../src/api/machines.ts'
import { type RouteName, routes } from '../../src/api/routes.ts'
import type { Report, RunDetail, RunList } from '../../src/api/runs.ts'
import type { Settings } from '../../src/api/settings.ts'
import type { Diff, StoryDetail } from '../../src/api/stories.ts'
import type { Timeline, TimelineEntry } from '../../src/api/timeline.ts'
import type { FileList, Log, Verification, VerificationList } from '../../src/api/verifications.ts'
import { acts } from '../../src/app/operations/operations.ts'
import { storyStates, storyTable } from '../../src/domain/story/story-machine.ts'
import {
  approve,
  build,
  finding,
  greenStory,
  needsChanges,
  reply,
  storyPlan,
  submit,
  writeFile,
} from '../scenarios/world/crew.ts'
import { call, type Fixture } from '../scenarios/world/fixture.ts'
import { codebaseReport } from '../scenarios/world/reports.ts'
import type { Program } from '../world/sandbox.ts'
import { ask } from './browser.ts'
import { type MemoryServer, servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

const script = '<script>alert(1)</script>'
const key = 'sk-planted-0123456789abcdef'
const plan = { ...(storyPlan('one') as { calls: readonly object[] }) }

let fixture: Fixture
let served: MemoryServer
let run: string

/**
 * One story with a scout, a red verification and a returned plan; another one that depends on it.
 */
beforeAll(async () => {
  const test: Program = (seen) => ({
    exitCode: (seen.read('one.txt') ?? 'good').includes('good') ? 0 : 1,
    output: `${script}\n`,
  })
  const world = await createMemoryWorld({
    steps: [{ name: 'test', command: 'tests', timeout_sec: 120 }],
    programs: { tests: test },
    env: { ANTHROPIC_API_KEY: key },
  })
  fixture = world.fixture
  const story = (id: string, title: string, more: object = {}) => ({
    id,
    title,
    content: `Write ${id}.`,
    acceptance_criteria: [`${id} is there`],
    ...more,
  })
  const stories = [story('one', script), story('two', 'Make two', { depends_on: ['one'] })]
  const built = await build(fixture, {
    'architect/SCOPING': [reply('A small repository.')],
    'architect/STORY_GENERATION': [call('submit_stories', { stories })],
    ...greenStory('two'),
    'editor/one/PLANNING': [call('ask_scout', { scout: 'codebase', question: 'Where?' }), plan, plan],
    'scout/codebase/one/1.1': [call('submit_report', codebaseReport)],
    'architect/REQUEST/plan/one/1': [needsChanges(`Not yet ${script}`, [finding({ claim: `It lies ${script}` })])],
    'architect/REQUEST/plan/one/2': [approve()],
    'editor/one/CODING': [
      { error: { kind: 'interrupted', message: 'cut off' } },
      writeFile('one.txt', `bad ${script}\n`),
      submit('one'),
      { text: '' },
      writeFile('one.txt', `good ${script}\n`),
      { ...(submit('one') as object), usage: { input: 1000, output: 10 } },
    ],
    'architect/REQUEST/code/one/1': [approve()],
  })
  expect(built.exitCode, built.stdout + built.stderr).toBe(0)
  run = String(built.events[0]?.run)
  served = await servedOf(world, { model: 'anthropic:claude-x' })
})

afterAll(() => served.close())

/** A route's answer, which must equal exactly its schema. */
async function get<T>(name: RouteName, path: string): Promise<T> {
  const answer = await served.page.get<T>(path)
  expect(routes[name].answer?.parse(answer)).toEqual(answer)
  return answer
}

test('the list of runs says what came of each, and where to follow from', async () => {
  const { runs, owned, escalations, last_event, repository } = await get<RunList>('runs', '/api/runs')
  expect({ owned, escalations, repository }).toEqual({
    owned: false,
    escalations: [],
    repository: served.drydock.repository,
  })
  expect(last_event).toBeGreaterThan(50)
  expect(runs).toMatchObject([
    {
      run,
      kind: 'spec',
      title: 'Make the files',
      state: 'DONE',
      interrupted: false,
      escalations: 0,
      stories: { total: 2, done: 2 },
      branch: 'drydock/make-the-files',
    },
  ])
  expect(Date.parse(runs[0]?.ended_at ?? '')).toBeGreaterThan(Date.parse(runs[0]?.started_at ?? ''))
})

test('a run has its stories as the board shows them', async () => {
  const detail = await get<RunDetail>('run', `/api/runs/${run}`)
  expect(detail).toMatchObject({
    architect: { state: 'DONE', requests: [] },
    pause: { budget: null, provider: null },
    error: null,
    merges: [
      { story: 'one', state: 'MERGED' },
      { story: 'two', state: 'MERGED', commit: detail.tip, receipt: `receipts/${detail.tip}.json` },
    ],
    can: { cancel: false, resume: false, retry: false, budget: false, post: false },
  })
  expect(detail.stories).toMatchObject([
    {
      id: 'one',
      title: script,
      state: 'DONE',
      depends_on: [],
      verifications: 2,
      last_status: 'PASS',
      reviews: 3,
      findings: 0,
      working: null,
      slot: null,
    },
    { id: 'two', title: 'Make two', state: 'DONE', depends_on: ['one'], verifications: 1, reviews: 2 },
  ])
  expect(detail.spending.tokens).toBe(1010)
  expect(detail.stories[0]?.spending).toMatchObject({ tokens: 1010, calls: 13, tool_calls: 11 })
  expect(detail.transitions[0]).toMatchObject({ story: null, from: 'MONITORING', event: 'done', to: 'DONE' })
})

test('a story has its plan, findings with their fate, requests, verifications and reports', async () => {
  const story = await get<StoryDetail>('story', `/api/runs/${run}/stories/one`)
  expect(story).toMatchObject({
    title: script,
    content: 'Write one.',
    acceptance_criteria: ['one is there'],
    dependents: ['two'],
    plan: { behaviour_change: 'one.txt is there', files: ['one.txt'] },
    earlier_plans: [{ behaviour_change: 'one.txt is there' }],
    requests: [
      { kind: 'plan', round: 1, state: 'ANSWERED', verdict: 'NEEDS_CHANGES', response: `Not yet ${script}` },
      { kind: 'plan', round: 2, verdict: 'APPROVED', lane: 'architect/REQUEST/plan/one/2' },
      { kind: 'code', round: 1, verdict: 'APPROVED' },
    ],
    runs: [
      { status: 'FAIL', of: 'change' },
      { status: 'PASS', of: 'change' },
      { status: 'PASS', of: 'merge' },
    ],
    scouts: [
      {
        scout: 'codebase',
        question: 'Where?',
        state: 'ANSWERED',
        attempt: 1,
        report: codebaseReport,
      },
    ],
    stuck_report: null,
  })
  expect(story.reviews.map(({ kind, findings }) => [kind, findings])).toMatchObject([
    ['plan', [{ severity: 'major', claim: `It lies ${script}`, state: 'closed', round: 1 }]],
    ['code', []],
  ])
  expect(story.context_files.map(({ milestone }) => milestone)).toEqual(['scout report', 'plan', 'plan', 'success'])
  expect(story.summary?.files).toEqual(['one.txt'])
})

test('a diff names the two commits that it is between', async () => {
  const story = await get<Diff>('storyDiff', `/api/runs/${run}/stories/one/diff`)
  const all = await get<Diff>('runDiff', `/api/runs/${run}/diff`)
  const { base, tip } = await served.page.get<RunDetail>(`/api/runs/${run}`)
  expect(story).toMatchObject({ base, diff: expect.stringContaining(`+good ${script}`), truncated: false })
  expect(all).toMatchObject({ base, sha: tip, diff: expect.stringContaining('b/two.txt') })
})

test('the timeline shows each call of a model with its new messages and its reply, page by page', async () => {
  const pages: TimelineEntry[] = []
  let before = ''
  for (;;) {
    const { entries, next } = await get<Timeline>(
      'storyTimeline',
      `/api/runs/${run}/stories/one/timeline?limit=4${before}`,
    )
    pages.push(...entries)
    if (next === null) break
    before = `&before=${encodeURIComponent(next)}`
  }
  const whole = await get<Timeline>('runTimeline', `/api/runs/${run}/timeline?limit=200`)
  expect(pages).toEqual(whole.entries.filter(({ story }) => story === 'one'))
  expect(pages).toHaveLength(24)
  const times = pages.map(({ started_at }) => started_at)
  expect(times).toEqual(times.toSorted().toReversed())
  const coding = pages.filter(({ lane }) => lane === 'editor/one/CODING').toReversed()
  expect(coding.map((entry) => (entry.type === 'tool_call' ? entry.tool : `model ${entry.turn}`))).toEqual([
    'model 0',
    'model 1',
    'write_file',
    'model 2',
    'submit_change',
    'model 3',
    'model 4',
    'write_file',
    'model 5',
    'submit_change',
  ])
  const [failed, first, , , , empty, fixing, writing, last] = coding
  expect(failed).toMatchObject({ stop: 'error', error: 'interrupted: cut off', output: null, input: first?.input })
  expect(first).toMatchObject({
    input: { text: expect.stringContaining('You are') },
    output: { text: expect.stringContaining('"content": "bad') },
  })
  expect(empty).toMatchObject({
    input: { text: expect.stringMatching(/submit_change (answered|failed):[\s\S]*FAIL/) },
    output: { text: '' },
  })
  expect(fixing).toMatchObject({
    agent: 'editor',
    input: { text: expect.stringContaining('<reminder>') },
    output: { text: expect.stringContaining('"content": "good') },
  })
  expect(writing).toMatchObject({ input: { text: expect.stringContaining(script) }, ok: true })
  expect(last).toMatchObject({ usage: { input: 1000, output: 10 }, cost_usd: 0 })
})

test('a text that is too long for the timeline is there in full where one entry is asked for', async () => {
  const { entries } = await served.page.get<Timeline>(`/api/runs/${run}/timeline?limit=200`)
  const long = entries.find(({ input }) => input.truncated)
  if (long === undefined) throw new Error('nothing is long')
  expect(long.input.text.length).toBeLessThan(4_100)
  const { entry } = await get<{ entry: TimelineEntry }>(
    'timelineEntry',
    `/api/runs/${run}/timeline/${encodeURIComponent(long.cursor)}`,
  )
  expect(entry).toMatchObject({ cursor: long.cursor, input: { truncated: false, chars: long.input.chars } })
  expect(entry.input.text).toHaveLength(long.input.chars)
})

test('a verification has its manifest, and its log as it was written', async () => {
  const { verifications } = await get<VerificationList>('runVerifications', `/api/runs/${run}/verifications`)
  expect(verifications.map(({ story, status, of, failed_step }) => [story, of, status, failed_step])).toEqual([
    ['two', 'merge', 'PASS', null],
    ['two', 'change', 'PASS', null],
    ['one', 'merge', 'PASS', null],
    ['one', 'change', 'PASS', null],
    ['one', 'change', 'FAIL', 'test'],
  ])
  const id = verifications.at(-1)?.run_id
  const verification = await get<Verification>('verification', `/api/verifications/${id}`)
  expect(verification).toMatchObject({
    run,
    story: 'one',
    status: 'FAIL',
    tail: expect.stringContaining(script),
    manifest: { run_id: id, commands_executed: [{ name: 'test', exit_code: 1 }] },
  })
  const green = await get<Verification>('verification', `/api/verifications/${verifications.at(-2)?.run_id}`)
  const hybrid = "the base commit's tests did not run on the new sources: nothing but sources was changed"
  const canaries = 'Drydock did not try whether the steps fail when a test fails: no runner is known to have run a test'
  // The cost of other trees is shown as well, with times that vary.
  const results = ({ assurance }: Verification) => assurance.filter(({ name }) => name !== 'Cost')
  expect([results(verification), results(green)]).toEqual([
    [],
    [
      { name: 'Old tests', text: hybrid, more: [] },
      { name: 'Roles', text: 'roles of files: by name, for neither imports nor opened files are known', more: [] },
      { name: 'Failing tests', text: canaries, more: [] },
    ],
  ])
  expect(green.manifest).toMatchObject({
    files: [{ path: 'one.txt', is: 'source' }],
    hunks: { proven: 0, unproven: [] },
  })
  expect(await get<Log>('verificationLog', `/api/verifications/${id}/log`)).toEqual({
    text: expect.stringContaining(script),
    from: 'log',
    skipped: null,
  })
  expect(await get<Log>('verificationLog', `/api/verifications/${id}/log?step=step-01-test`)).toMatchObject({
    from: 'log',
  })
  for (const step of ['../manifest', '..%2F..%2Fmanifest', 'none', '%00']) {
    const { status } = await ask(served.port, `/api/verifications/${id}/log?step=${step}`, {
      headers: served.page.headers,
    })
    expect([step, status]).toEqual([step, 404])
  }
})

test('the files of a verification can be had, each as it is, and nothing else of the machine', async () => {
  const { verifications } = await get<VerificationList>('runVerifications', `/api/runs/${run}/verifications`)
  const id = verifications[0]?.run_id
  const { files, from } = await get<FileList>('verificationFiles', `/api/verifications/${id}/files`)
  expect(from).toBe('here')
  expect(files.map(({ path }) => path)).toEqual(['manifest.json', 'logs/combined.log', 'logs/step-01-test.log'])
  const { headers } = served.page
  for (const { path, bytes } of files) {
    const answer = await ask(served.port, `/api/verifications/${id}/file?path=${encodeURIComponent(path)}`, { headers })
    expect([path, answer.status, Buffer.byteLength(answer.body)]).toEqual([path, 200, bytes])
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-disposition': `attachment; filename="${id}-${path.replace('/', '_')}"`,
    })
  }
  for (const path of ['../manifest.json', 'logs/../manifest.json', '/etc/passwd', 'logs', '%00', 'none']) {
    const { status } = await ask(served.port, `/api/verifications/${id}/file?path=${path}`, { headers })
    expect([path, status]).toEqual([path, 404])
  }
  for (const other of ['none', '..%2F..', `..%2Fruns%2F${id}`]) {
    for (const what of ['files', 'file?path=manifest.json']) {
      const { status } = await ask(served.port, `/api/verifications/${other}/${what}`, { headers })
      expect([other, what, status]).toEqual([other, what, 404])
    }
  }
})

test('large answers are compressed for a browser that accepts it, but not the stream of events', async () => {
  const headers = { ...served.page.headers, 'Accept-Encoding': 'gzip' }
  const encodingOf = async (path: string) => (await ask(served.port, path, { headers })).headers['content-encoding']
  expect(await encodingOf(`/api/runs/${run}`)).toBe('gzip')
  const page = (await ask(served.port, '/')).body
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
  expect(await encodingOf(script)).toBe('gzip')
  const stream = await served.page.events('/api/events?after=0', { 'Accept-Encoding': 'gzip' })
  expect(await stream.until(({ type }) => type === 'result')).toMatchObject({ run })
})

test('figures are computed from the records', async () => {
  const { spending, attempts, states, from, to } = await get<Figures>('figures', `/api/runs/${run}/figures`)
  expect(attempts).toEqual([
    { attempt: 1, PASS: 1, FAIL: 1, INFRA_ERROR: 0 },
    { attempt: 2, PASS: 1, FAIL: 0, INFRA_ERROR: 0 },
  ])
  expect(spending.at(-1)).toEqual({
    at: to,
    cost_usd: { architect: 0, editor: 0, scout: 0 },
    tokens: { architect: 0, editor: 1010, scout: 0 },
  })
  const [one] = states
  expect(one?.seconds.map(({ state }) => state)).toEqual([
    'QUEUED',
    'SETUP',
    'PLANNING',
    'PLAN_REVIEW',
    'CODING',
    'VERIFYING',
    'CODE_REVIEW',
    'MERGING',
  ])
  const sum = one?.seconds.reduce((all, { seconds }) => all + seconds, 0) ?? 0
  expect(sum).toBeGreaterThan(0)
  expect(sum).toBeLessThanOrEqual((Date.parse(to) - Date.parse(from)) / 1_000)
})

test('the event log, the chat and the report of a run', async () => {
  const { events, next } = await get<EventList>('runEvents', `/api/runs/${run}/events?limit=3&story=one`)
  const more = await get<EventList>('runEvents', `/api/runs/${run}/events?limit=1&story=one&before=${next}`)
  const ids = [...events, ...more.events].map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a))
  const { moments } = await get<History>('history', `/api/runs/${run}/history`)
  const said = new Map(moments.map(({ id, what }) => [id, what]))
  expect(events[0]).toMatchObject({ story: 'one', run, what: said.get(events[0]?.id ?? 0) })
  expect(await get<Chat>('chat', `/api/runs/${run}/chat`)).toEqual({ messages: [] })
  const { markdown } = await get<Report>('report', `/api/runs/${run}/report`)
  expect(markdown).toContain('# Make the files')
  expect(markdown).toContain('Verifications: ')
})

test('the machines are the tables of the code', async () => {
  const { machines } = await get<Machines>('machines', '/api/machines')
  const story = machines.find(({ name }) => name === 'story')
  expect(machines.map(({ name }) => name)).toEqual(['run', 'story', 'request'])
  expect(story?.states.map(({ state }) => state)).toEqual([...storyStates])
  expect(story?.transitions).toHaveLength(Object.values(storyTable).flatMap((row) => Object.keys(row)).length)
  expect(story?.transitions).toContainEqual({ from: 'CODING', event: 'change_submitted', to: 'VERIFYING' })
})

test('settings say where each value comes from, and of keys only that they are set', async () => {
  const settings = await get<Settings>('settings', '/api/settings')
  const of = (name: string) => settings.settings.find((each) => each.key === name)
  expect(of('verification.steps')).toMatchObject({ from: 'repository', value: [{ name: 'test' }] })
  expect(of('editor.review_rounds')).toEqual({ key: 'editor.review_rounds', value: 4, from: 'default' })
  expect(of('models.editor')).toEqual({ key: 'models.editor', value: 'anthropic:claude-x', from: 'flag' })
  expect(settings.providers).toContainEqual({
    name: 'anthropic',
    kind: 'anthropic',
    base_url: null,
    key_env: 'ANTHROPIC_API_KEY',
    key_set: true,
  })
  expect(JSON.stringify(settings)).not.toContain(key)
})

test('the OpenAPI document lists every route, and what it needs', async () => {
  type Operation = { readonly operationId: string; readonly security: readonly object[] }
  const { openapi, paths } = await served.page.get<{
    openapi: string
    paths: Record<string, Record<string, Operation>>
  }>('/api/openapi.json')
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  const table = Object.values(routes).map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  expect(openapi).toBe('3.1.0')
  expect(listed.toSorted()).toEqual(table.toSorted())
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const needing = (schemes: string) =>
    operations
      .filter(({ security }) => security.flatMap((each) => Object.keys(each)).join() === schemes)
      .map(({ operationId }) => operationId)
  const commands = Object.entries(acts).flatMap(([name, { shape }]) =>
    shape.method === 'post' && !('needs' in shape) ? [name] : [],
  )
  const entering = ['openSession', 'startSignIn', 'finishSignIn']
  expect(needing('')).toEqual(entering)
  expect(needing('session,token').toSorted()).toEqual(commands.toSorted())
  expect(needing('session')).toHaveLength(operations.length - commands.length - entering.length)
})

test('a missing item is reported as such, with advice', async () => {
  const paths = [
    '/api/runs/x',
    '/api/runs/x/report',
    '/api/runs/x/finish',
    `/api/receipts/${'0'.repeat(40)}`,
    `/api/runs/${run}/stories/x`,
    `/api/runs/${run}/stories/x/diff`,
    '/api/verifications/x',
    '/api/verifications/x/files',
    '/api/verifications/x/file?path=manifest.json',
    `/api/runs/${run}/timeline/x`,
  ]
  for (const path of paths) {
    const { status, body } = await ask(served.port, path, { headers: served.page.headers })
    expect([path, status, JSON.parse(body)]).toEqual([
      path,
      404,
      { code: 'not_found', message: expect.any(String), todo: expect.any(String) },
    ])
  }
})
