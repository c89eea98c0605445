import { expect, onTestFinished, test } from 'vitest'
import { type Finish, finishSchema } from '../../src/api/finish.ts'
import { type ReceiptDetail, type ReceiptList, receiptListSchema, receiptSchema } from '../../src/api/receipts.ts'
import type { RunDetail, RunList } from '../../src/api/runs.ts'
import type { Lanes } from '../scenarios/world/crew.ts'
import { withRecords } from '../scenarios/world/crew-script.ts'
import { call, change, greenLanes, write } from '../scenarios/world/fixture.ts'
import { bareHub } from './bare-hub.ts'
import { ask } from './browser.ts'
import { type MemoryServer, servedOf } from './memory-served.ts'
import { createMemoryWorld, type ServedOptions } from './memory-server.ts'

interface World extends MemoryServer {
  readonly run: string
  readonly sha: string
  finish(): Promise<Finish>
  /** Resolves with the landing, once it is over. */
  over(): Promise<Finish['landings'][number]>
}

/** Includes the events before the stream was opened. */
const everything = '/api/events?after=0'

/** A finished task, and a server of its state. */
async function done(options: ServedOptions = {}, lanes: Lanes = greenLanes): Promise<World> {
  const world = await createMemoryWorld(options)
  onTestFinished(() => world.close())
  const { fixture } = world
  const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(lanes), '--json')
  expect(task.exitCode, task.stderr).toBe(0)
  const served = await servedOf(world)
  const { run, branch } = task.events.at(-1) as never as { run: string; branch: string }
  const finish = () => served.page.get<Finish>(`/api/runs/${run}/finish`)
  const over = async () => {
    const isOver = (state: string) => state === 'LANDED' || state === 'REFUSED'
    const stream = await served.page.events(everything)
    await stream.until(({ type, data }) => type === 'landing' && isOver((data as { state: string }).state))
    const [landing] = (await finish()).landings
    if (landing === undefined) throw new Error('there is no landing')
    return landing
  }
  return { ...served, run, sha: await fixture.git('rev-parse', branch), finish, over }
}

async function commit({ fixture }: World, files: Readonly<Record<string, string>>): Promise<string> {
  await fixture.write(files)
  await fixture.git('commit', '-qm', 'Meanwhile')
  return fixture.git('rev-parse', 'HEAD')
}

const inWorkTree = ({ fixture }: World) => fixture.file('value.txt')

const onto = { goal: 'onto', branch: 'main' }

test('the result of a task is shown with its proof, and lands on a branch once, as by the command', async () => {
  const world = await done()
  const { page, fixture, run, sha } = world
  const before = finishSchema.parse(await world.finish())
  expect(before).toMatchObject({
    run,
    sha,
    refusal: null,
    landings: [],
    forge: null,
    change: null,
    repositories: null,
    findings: [],
    stat: { count: 1, added: 1, removed: 1, files: [{ path: 'value.txt', status: 'modified', added: 1, removed: 1 }] },
    receipts: [{ commit: sha, state: 'good', said: { run, status: 'PASS' } }],
    branches: [{ name: 'main', command: `drydock land ${run} --onto main` }],
  })
  const waiting = await page.post(`/api/runs/${run}/land`, onto)
  expect(waiting).toMatchObject({ status: 202, body: { run, handed: 'recorded' } })
  const second = await page.post(`/api/runs/${run}/land`, onto)
  expect(second).toMatchObject({ status: 409, body: { code: 'already_done' } })
  expect((await world.finish()).landings).toMatchObject([{ state: 'REQUESTED', branch: 'main' }])
  await world.own()
  expect(await world.over()).toMatchObject({ state: 'LANDED', result: { sha, moved: 'forward' } })
  expect(await fixture.git('rev-parse', 'main')).toBe(sha)
  expect(await fixture.git('show', 'HEAD:value.txt')).toBe('new')
  expect(await fixture.git('status', '--porcelain')).toBe('')
  expect((await world.finish()).landings).toHaveLength(1)
})

test('a branch that has moved gets the verified merge, and both have their receipts', async () => {
  const world = await done()
  const meanwhile = await commit(world, { 'other.txt': 'other\n' })
  await world.own()
  expect(await world.page.post(`/api/runs/${world.run}/land`, onto)).toMatchObject({ body: { handed: 'applied' } })
  const landing = await world.over()
  const sha = await world.fixture.git('rev-parse', 'main')
  expect(landing).toMatchObject({ state: 'LANDED', result: { sha, moved: 'merge' }, verification: { state: 'PASS' } })
  expect(await world.fixture.git('log', '-1', '--format=%P', 'main')).toBe(`${meanwhile} ${world.sha}`)
  const list = receiptListSchema.parse(await world.page.get<ReceiptList>('/api/receipts'))
  expect(new Map(list.receipts.map(({ commit, state }) => [commit, state]))).toEqual(
    new Map([
      [sha, 'good'],
      [world.sha, 'good'],
    ]),
  )
})

test('a merge that is red, a branch that does not exist and a conflict are refused with a word, and move nothing', async () => {
  const world = await done({
    steps: [{ name: 'test', command: 'check' }],
    programs: {
      check: (seen) => (seen.read('value.txt')?.includes('new') && seen.read('broken.txt') === null ? 0 : 1),
    },
  })
  await world.own()
  const unknown = await world.page.post(`/api/runs/${world.run}/land`, { goal: 'onto', branch: 'no-such' })
  expect(unknown.body).toMatchObject({ code: 'unknown_revision' })
  const meanwhile = await commit(world, { 'broken.txt': 'it\n' })
  await world.page.post(`/api/runs/${world.run}/land`, onto)
  const red = await world.over()
  expect(red).toMatchObject({ state: 'REFUSED', refusal: { code: 'not_landable' }, verification: { state: 'FAIL' } })
  expect(await world.fixture.git('rev-parse', 'main')).toBe(meanwhile)
  await world.fixture.git('switch', '-q', '-c', 'other')
  const later = await commit(world, { 'value.txt': 'newer\n' })
  await world.page.post(`/api/runs/${world.run}/land`, { goal: 'onto', branch: 'other' })
  const isConflict = (each: Finish['landings'][number]) => each.refusal?.code === 'land_conflict'
  await expect.poll(async () => (await world.finish()).landings.some(isConflict)).toBe(true)
  expect(await world.fixture.git('rev-parse', 'other')).toBe(later)
})

test('a finding that only the merge has is refused until somebody accepts it for the merge', async () => {
  const scripts = (test: string) => `${JSON.stringify({ name: 'median', scripts: { test } })}\n`
  // The run changes a script that its tests do not use, and main starts to use it in the meantime.
  const script = call('write_file', { path: 'check.sh', content: 'true\n' })
  const world = await done(
    { files: { 'package.json': scripts('node --test'), 'check.sh': 'false\n' } },
    { ...greenLanes, 'editor/task/CODING': [write('new\n'), script, change()] },
  )
  const meanwhile = await commit(world, { 'package.json': scripts('sh check.sh') })
  await world.own()
  await world.page.post(`/api/runs/${world.run}/land`, onto)
  const refused = await world.over()
  expect(refused).toMatchObject({ state: 'REFUSED', refusal: { code: 'not_landable' } })
  expect(refused.refusal?.findings).toMatchObject([{ file: 'check.sh' }])
  expect(await world.fixture.git('rev-parse', 'main')).toBe(meanwhile)
  const accept = refused.refusal?.findings?.map(({ id }) => id)
  await world.page.post(`/api/runs/${world.run}/land`, { ...onto, accept })
  await expect.poll(async () => (await world.finish()).landings.some(({ state }) => state === 'LANDED')).toBe(true)
})

test('a result goes into the working tree, uncommitted, over nothing of the user, and as often as one likes', async () => {
  const world = await done()
  const { page, fixture, run } = world
  const apply = { goal: 'apply' }
  expect((await world.finish()).commands.apply).toBe(`drydock land ${run} --apply`)
  await world.own()
  await fixture.write({ 'value.txt': 'mine\n' })
  await page.post(`/api/runs/${run}/land`, apply)
  expect(await world.over()).toMatchObject({ goal: 'apply', state: 'REFUSED', refusal: { code: 'apply_refused' } })
  expect(await inWorkTree(world)).toBe('mine\n')

  await fixture.write({ 'value.txt': 'old\n' })
  const head = await commit(world, { 'other.txt': 'other\n' })
  for (const times of [1, 2]) {
    await page.post(`/api/runs/${run}/land`, apply)
    const applied = async () => (await world.finish()).landings.filter(({ state }) => state === 'LANDED')
    await expect.poll(async () => (await applied()).length).toBe(times)
    expect((await applied())[0]).toMatchObject({ goal: 'apply', branch: null, result: { files: 1, sha: null } })
    expect(await fixture.git('status', '--porcelain')).toBe('M value.txt')
    expect(await inWorkTree(world)).toBe('new\n')
  }
  expect(await fixture.git('rev-parse', 'main')).toBe(head)
})

test('a hub changes no working tree', async () => {
  const hub = await bareHub()
  const headers = { Authorization: `Bearer ${await hub.token('ada', 'admin')}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ goal: 'apply' })
  const answer = await ask(hub.port, '/api/runs/any/land', { method: 'POST', headers, body })
  expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('working tree')])
})

test('an owner that ends while the merge is verified leaves it to the next one, and it lands once', async () => {
  const world = await done()
  await commit(world, { 'other.txt': 'other\n' })
  const first = await world.own()
  await world.page.post(`/api/runs/${world.run}/land`, onto)
  const stream = await world.page.events(everything)
  await stream.until(({ type, data }) => type === 'landing' && (data as { state: string }).state === 'VERIFYING')
  await first.stop({ drain: false })
  await world.own()
  expect(await world.over()).toMatchObject({ state: 'LANDED', result: { moved: 'merge' } })
  const runs = await withRecords(world.fixture, (records) => records.machineCounts({ kind: 'run' }))
  expect([...runs]).toEqual([['DONE', 2]])
})

test('receipts are told as they are: good, of an unknown key, broken, and missing; each can be had in whole', async () => {
  const world = await done()
  const { fixture, page, sha } = world
  const of = async (query = '') => page.get<ReceiptList>(`/api/receipts${query}`)
  const { notes } = fixture.machine.repository
  const note = notes.get(sha) ?? ''
  const detail = receiptSchema.parse(await page.get<ReceiptDetail>(`/api/receipts/${sha}`))
  expect(detail.envelope?.trim()).toBe(note.trim())
  expect(detail).toMatchObject({ state: 'good', receipt: { commit: sha } })

  const copied = await commit(world, { 'other.txt': 'other\n' })
  notes.set(copied, note)
  const both = await of()
  expect(both).toMatchObject({ total: 2, matching: 2, next: null })
  const receiptOf = (commit: string) => both.receipts.find((each) => each.commit === commit)
  // Receipts are looked up by commit, since both may have been made in the same second.
  expect([receiptOf(copied), receiptOf(sha)]).toMatchObject([
    { state: 'broken', said: null, fault: { code: 'receipt_other_commit' } },
    { state: 'good' },
  ])
  const filtered = await of('?state=broken')
  expect(filtered.receipts.map(({ commit }) => commit)).toEqual([copied])
  expect((await of(`?q=say%20NEW`)).receipts.map(({ commit }) => commit)).toEqual([sha])
  notes.clear()
  expect(await of()).toMatchObject({ total: 1, receipts: [{ commit: sha, state: 'not_noted', said: null }] })
  const checks = await page.get<ReceiptList>(`/api/receipts/checks?commits=${sha}`)
  expect(checks.receipts).toMatchObject([{ state: 'not_noted', fault: { code: 'receipt_missing' } }])
})

test('more receipts than a page holds come page by page, each once, newest first, also filtered', async () => {
  const world = await done()
  const { fixture, page, sha } = world
  const { notes, objects } = fixture.machine.repository
  const numbers = Array.from({ length: 1_200 }, (_, i) => i + 1)
  for (const n of numbers) {
    const at = new Date(1_700_000_000_000 + n * 1_000)
    notes.set(
      objects.commit({ tree: objects.commits.get(sha)?.tree ?? '', parents: [], message: `${n}`, at }),
      notes.get(sha) ?? '',
    )
  }
  const walk = async (filter: string): Promise<readonly string[]> => {
    const found: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const list: ReceiptList = await page.get(`/api/receipts?${filter}${next === '' ? '' : `&after=${next}`}`)
      found.push(...list.receipts.map(({ subject }) => subject))
      next = list.next
    }
    return found
  }
  const newestFirst = numbers.toReversed().map(String)
  const all = await walk('')
  expect(all.filter((subject) => subject !== 'Say new')).toEqual(newestFirst)
  expect(all).toHaveLength(1_201)
  expect(await walk('state=broken')).toEqual(newestFirst)
})

test('a result whose branch was deleted is told in the list, on its page and in what is compared, until it is back', async () => {
  const world = await done()
  const { page, fixture, run, sha } = world
  const shown = async () => {
    const list = await page.get<RunList>('/api/runs')
    const detail = await page.get<RunDetail>(`/api/runs/${run}`)
    return [...list.runs, detail].map(({ outcome, branch }) => [outcome.code, branch])
  }
  const [[, branch]] = (await shown()) as [[string, string]]
  expect(await shown()).toEqual([
    ['DONE', branch],
    ['DONE', branch],
  ])
  await fixture.git('branch', '-D', branch)
  expect(await shown()).toEqual([
    ['NOT_APPLIED', null],
    ['NOT_APPLIED', null],
  ])
  expect((await world.finish()).gone).toContain(`The branch ${branch} was deleted.`)
  await fixture.git('branch', branch, sha)
  expect(await shown()).toEqual([
    ['DONE', branch],
    ['DONE', branch],
  ])
})

test('a comment that comes while the merge is verified holds the landing, and the branch stays', async () => {
  let comment = async () => {}
  const world = await done({
    steps: [{ name: 'test', command: 'check' }],
    programs: {
      async check(seen) {
        if (seen.read('other.txt') !== null) await comment()
        return seen.read('value.txt')?.includes('new') ? 0 : 1
      },
    },
  })
  const { page, run, fixture } = world
  const meanwhile = await commit(world, { 'other.txt': 'other\n' })
  comment = async () => {
    const remarks = [{ path: 'value.txt', start: 1, text: 'Make it newer.', author: 'Ada' }]
    expect((await page.post(`/api/runs/${run}/remarks`, { remarks })).status).toBe(202)
  }
  await world.own()
  await page.post(`/api/runs/${run}/land`, onto)
  expect(await world.over()).toMatchObject({
    state: 'REFUSED',
    refusal: { code: 'not_landable', message: expect.stringContaining('1 comment of Ada') },
    verification: { state: 'PASS' },
  })
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)
})
