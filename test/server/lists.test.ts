import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Event } from '../../src/api/events.ts'
import type { History } from '../../src/api/history.ts'
import type { ReceiptLine, ReceiptList } from '../../src/api/receipts.ts'
import { routes } from '../../src/api/routes.ts'
import type { RunDetail, RunList } from '../../src/api/runs.ts'
import type { Schedule } from '../../src/api/schedule.ts'
import type { Search, SearchResults } from '../../src/api/search.ts'
import type { TimelineEntry } from '../../src/api/timeline.ts'
import { build, greenStory, needsChanges, specLanes, submit, writeFile } from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import type { Program } from '../world/sandbox.ts'
import { ask } from './browser.ts'
import { type MemoryServer, servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

const key = 'sk-planted-0123456789abcdef'
let fixture: Fixture
let served: MemoryServer
let run: string

/** The tests fail while the file contains "bad". */
const tests: Program = (seen) => {
  const isBad = seen.read('one.txt')?.includes('bad') ?? false
  const tap = (ok: string) => `TAP version 13\nok 1 - counts\n${ok} 2 - rounds ${key}\n1..2\n`
  return isBad ? { exitCode: 1, output: tap('not ok') } : { exitCode: 0, output: tap('ok') }
}

/** `one` is done after a red test, `asks` waits for a human, and `waits` for `asks`. */
beforeAll(async () => {
  const world = await createMemoryWorld({
    steps: [{ name: 'test', command: 'tests' }],
    programs: { tests },
    config: { editor: { review_rounds: 1 } },
    env: { ANTHROPIC_API_KEY: key },
  })
  fixture = world.fixture
  const built = await build(fixture, {
    ...specLanes('one', 'asks', { id: 'waits', depends_on: ['asks'] }),
    ...greenStory('one'),
    'editor/one/CODING': [writeFile('one.txt', 'bad'), submit('one'), writeFile('one.txt', 'good'), submit('one')],
    ...greenStory('asks'),
    'architect/REQUEST/code/asks/1': [needsChanges(`Not like this, says ${key}.`)],
  })
  run = String(built.events[0]?.run)
  served = await servedOf(world)
})
afterAll(() => served.close())

async function find(text: string, more = ''): Promise<Search> {
  const answer = await served.page.get<Search>(`/api/search?text=${encodeURIComponent(text)}${more}`)
  expect(routes.search.answer.parse(answer)).toEqual(answer)
  return answer
}

const told = ({ found }: Search) => found.map(({ kind, story, text }: SearchResults) => [kind, story, text])

test('words find runs, stories, changed files, tests and messages, whatever their order and letters', async () => {
  expect(told(await find('FILES the make'))[0]).toEqual(['run', null, 'Make the files'])
  expect(told(await find('make asks'))[0]).toEqual(['story', 'asks', 'Make asks'])
  expect(told(await find('one.txt'))).toContainEqual(['file', 'one', 'one.txt'])
  expect(told(await find('rounds'))[0]).toEqual(['test', 'one', expect.stringContaining('rounds')])
  const { found } = await find('this, says')
  expect(found).toMatchObject([{ kind: 'message', run, run_title: 'Make the files', story: 'asks' }])
  expect((await find(run)).found[0]).toMatchObject({ kind: 'run', id: run })
  expect(await find('no such words anywhere')).toEqual({ found: [], more: 0, unread: 0 })
})

test('a key that somebody has said is in no answer', async () => {
  for (const path of ['search?text=says', `download?list=messages&run=${run}`, `download?list=events&run=${run}`]) {
    const { status, body } = await ask(served.port, `/api/${path}`, { headers: served.page.headers })
    expect(status).toBe(200)
    expect(body).toContain('Not like this')
    expect(body).not.toContain(key)
  }
})

test('events after a question are found by the next one', async () => {
  expect((await find('the new verdict')).found).toEqual([])
  const verified = await fixture.drydock('verify', '--json')
  const id = String(verified.events[0]?.run)
  expect(await find(id)).toMatchObject({ found: [{ kind: 'run', text: 'verify the working tree', id }] })
})

test('a question that is empty, too long, or of no Run is refused or finds what there is', async () => {
  const status = async (query: string) =>
    (await ask(served.port, `/api/search${query}`, { headers: served.page.headers })).status
  expect([await status(''), await status('?text=%20'), await status(`?text=${'x'.repeat(201)}`)]).toEqual([
    400, 400, 400,
  ])
  expect(await status('?text=.*%00\\%25_')).toBe(200)
  expect(told(await find('make asks', '&run=none'))[0]).toEqual(['story', 'asks', 'Make asks'])
  expect((await ask(served.port, '/api/search?text=make')).status).toBe(401)
})

interface File<Item> {
  readonly list: string
  readonly run: string | null
  readonly items: readonly Item[]
}

const download = <Item>(query: string) => served.page.get<File<Item>>(`/api/download?${query}`)

test('each list is downloaded whole, as its route has it page by page', async () => {
  const { runs } = await served.page.get<RunList>('/api/runs')
  expect(await download('list=runs')).toMatchObject({ list: 'runs', run: null, items: runs })
  for (const list of ['stories', 'verifications', 'messages']) {
    const { [list]: items } = await served.page.get<Record<string, unknown[]>>(
      `/api/runs/${run}${list === 'stories' ? '' : list === 'messages' ? '/chat' : `/${list}`}`,
    )
    expect((await download(`list=${list}&run=${run}`)).items).toEqual(items)
    expect(items?.length).toBeGreaterThan(0)
  }
  const { receipts } = await served.page.get<ReceiptList>('/api/receipts')
  const commits = (await download<ReceiptLine>('list=receipts')).items.map(({ commit }) => commit)
  expect(commits).toEqual(receipts.map(({ commit }) => commit))
  expect(commits.length).toBeGreaterThan(0)
  const events = await download<Event>(`list=events&run=${run}`)
  const { events: newest } = await served.page.get<{ events: Event[] }>(`/api/runs/${run}/events?limit=1000`)
  expect(events.items).toEqual(newest)
  const calls = await download<TimelineEntry>(`list=timeline&run=${run}&story=one`)
  expect(calls.items.length).toBeGreaterThan(4)
  expect(calls.items.every(({ story }) => story === 'one')).toBe(true)
})

test('a download says its name, and what is not there is an error before anything is sent', async () => {
  const headers = served.page.headers
  const file = await ask(served.port, `/api/download?list=events&run=${run}`, { headers })
  expect(file.headers['content-disposition']).toBe(`attachment; filename="drydock-${run}-events.json"`)
  const answers = ['list=events', 'list=events&run=none', 'list=secrets', 'list=events&run=%22%0d%0ax'].map((query) =>
    ask(served.port, `/api/download?${query}`, { headers }),
  )
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 404, 400, 404])
})

test('the schedule shows the time of all work, why each story waits, and what the run waits for', async () => {
  const schedule = await served.page.get<Schedule>(`/api/runs/${run}/schedule`)
  expect(routes.schedule.answer.parse(schedule)).toEqual(schedule)
  const [one, asks, waits] = schedule.stories
  expect(schedule.live).toBe(false)
  const phases = one?.spans.map(({ phase }) => phase) ?? []
  expect(phases.filter((phase, i) => phase !== 'waiting' && phase !== phases[i - 1])).toEqual([
    'planning',
    'reviewing',
    'coding',
    'verifying',
    'coding',
    'verifying',
    'reviewing',
    'merging',
  ])
  for (const { spans } of schedule.stories) {
    const ends = spans.slice(1).map(({ from }, i) => [spans[i]?.to, from])
    for (const [end, next] of ends) expect(end).toBe(next)
  }
  expect(asks?.spans.at(-1)).toMatchObject({ phase: 'asking', to: null, why: 'It waits for an answer.' })
  expect(waits?.spans).toMatchObject([{ phase: 'waiting', to: null, why: 'It waits for asks, which it needs.' }])
  expect(schedule.critical_path.slice(-2)).toMatchObject([
    { story: 'asks', after: expect.stringMatching(/start|workspace/) },
    { story: 'waits', after: 'dependency', why: 'It needs asks, which is not done.' },
  ])
  expect([asks?.critical, waits?.critical]).toEqual([true, true])
  expect((await ask(served.port, '/api/runs/none/schedule', { headers: served.page.headers })).status).toBe(404)
})

test('the history has every event in short, page by page, and the commits that hold the work as it was', async () => {
  const read = (query = '') => served.page.get<History>(`/api/runs/${run}/history${query}`)
  const whole = await read()
  expect(routes.history.answer.parse(whole)).toEqual(whole)
  const pages = [await read('?limit=40')]
  for (let next = pages[0]?.next ?? null; next !== null; next = pages.at(-1)?.next ?? null)
    pages.push(await read(`?limit=40&before=${next}`))
  expect(pages.length).toBeGreaterThan(1)
  expect(pages.flatMap(({ moments }) => moments)).toEqual(whole.moments)
  expect(pages.slice(1).flatMap(({ kept }) => kept)).toEqual([])
  const of = (story: string) => whole.moments.toReversed().filter((moment) => moment.story === story)
  const marks = of('one').flatMap(({ mark, status }) => (mark === undefined ? [] : [status ?? mark]))
  expect(marks).toEqual(['review', 'FAIL', 'PASS', 'review', 'PASS', 'merge'])
  expect(of('asks').findLast(({ state }) => state !== undefined)?.state).toBe('ESCALATED')
  expect(whole.moments.find(({ mark }) => mark === 'question')?.story).toBe('asks')
  // Each attempt counts only from the time of its verdict event on.
  const verdicts = of('one').filter(({ mark }) => mark === 'verdict')
  const attempts = whole.kept.filter(({ story, why }) => story === 'one' && why.startsWith('attempt'))
  expect(attempts.map(({ why }) => why)).toEqual(['attempt 1: FAIL', 'attempt 2: PASS'])
  expect(attempts.every(({ at }, i) => at <= (verdicts[i]?.at ?? ''))).toBe(true)
  const { base } = await served.page.get<RunDetail>(`/api/runs/${run}`)
  expect(new Set(whole.kept.map((each) => each.base))).toEqual(new Set([base]))
  expect(JSON.stringify(whole)).not.toContain(key)
  expect((await ask(served.port, '/api/runs/none/history', { headers: served.page.headers })).status).toBe(404)
})

test('events and calls are narrowed by type, kind and text on the server', async () => {
  const types = async (query: string) => {
    const { events } = await served.page.get<{ events: Event[] }>(`/api/runs/${run}/events?${query}`)
    return new Set(events.map(({ type }) => type))
  }
  expect(await types('types=merge,verification')).toEqual(new Set(['merge', 'verification']))
  expect(await types('types=no-such-type')).toEqual(new Set())
  expect(await types(`text=${encodeURIComponent('Not like this')}`)).toEqual(new Set(['escalation']))
  const { entries } = await served.page.get<{ entries: TimelineEntry[] }>(
    `/api/runs/${run}/timeline?kind=tool&text=one.txt`,
  )
  expect(entries.map((entry) => entry.type === 'tool_call' && entry.tool)).toContain('write_file')
})
