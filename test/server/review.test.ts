import { expect, onTestFinished, test } from 'vitest'
import type { Diff, StoryDetail } from '../../src/api/stories.ts'
import { call, change, greenLanes, plan, resultOf, write } from '../scenarios/world/fixture.ts'
import type { Program } from '../world/sandbox.ts'
import { ask } from './browser.ts'
import { servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

test('remarks are submitted over HTTP as a batch, listed with their fates, and refused in words', async () => {
  const world = await createMemoryWorld()
  onTestFinished(() => world.close())
  const { fixture } = world
  const model = await fixture.replay({
    ...greenLanes,
    'editor/review-1/PLANNING': [plan()],
    'editor/review-1/CODING': [
      write('new, and better\n'),
      change('Better', { remarks: [{ id: 'F-1', settled: true, reply: 'It is.' }] }),
    ],
  })
  const { run } = resultOf(await fixture.drydock('task', 'Say new', '--model', model, '--json'))
  const served = await servedOf(world)
  const path = `/api/runs/${run}/remarks`
  const remark = { path: 'value.txt', start: 1, text: 'Better.', author: 'Ada', key: 'one' }
  const submitted = await served.page.post(path, { remarks: [remark] })
  expect(submitted).toMatchObject({ status: 202, body: { run, handed: 'recorded', follow_up: expect.any(String) } })
  expect((await served.page.post(path, { remarks: [remark, remark] })).status).toBe(202)
  const said = { key: 'one', author: 'Ada', source: 'the dashboard', path: 'value.txt', start: 1, end: 1, side: 'new' }
  expect(await served.page.get(path)).toMatchObject({ remarks: [{ id: null, state: 'OPEN', ...said }] })

  const refused = async (remarks: readonly object[]) => (await served.page.post(path, { remarks })).status
  expect(await refused([])).toBe(400)
  expect(await refused([{ ...remark, text: 'x'.repeat(1_000_000) }])).toBe(400)
  expect(await refused([{ ...remark, path: '../value.txt' }])).toBe(400)
  expect(await refused([{ ...remark, start: 7 }])).toBe(400)
  expect((await served.page.post('/api/runs/none/remarks', { remarks: [remark] })).status).toBe(404)
  expect((await served.page.post(path, { story: 'none', remarks: [remark] })).status).toBe(404)

  expect((await fixture.drydock('resume', '--no-wait')).exitCode).toBe(0)
  const commit = await fixture.git('rev-parse', 'drydock/say-new')
  expect(await served.page.get(path)).toMatchObject({
    remarks: [{ id: 'F-1', state: 'SETTLED', commit, reply: 'It is.', ...said, follow_up: { state: 'DONE' } }],
  })
})

test('two commits of a run are compared, and lines that a diff leaves out are read, but nothing outside of its trees', async () => {
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`)
  const many = `${lines.join('\n')}\n`
  const edit: Program = (seen) => {
    seen.write('dir/many lines.txt', many.replace('line 50', 'LINE 50'))
    seen.write('leads-out', '/etc/hostname', '120000')
    return 0
  }
  const world = await createMemoryWorld({
    files: { 'dir/many lines.txt': many, 'binary.bin': 'a\0b\n', secret: 'mine\n' },
    programs: { edit },
  })
  onTestFinished(() => world.close())
  const { fixture } = world
  await fixture.git('commit', '-q', '--allow-empty', '-m', 'the base')
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      write('first try\n'),
      call('run_command', { command: 'edit' }),
      change(),
      write('new\n'),
      change(),
    ],
  })
  const { run } = resultOf(await fixture.drydock('task', 'Say new', '--model', model, '--json'))
  const served = await servedOf(world)
  const { base, sha, runs } = await served.page.get<StoryDetail>(`/api/runs/${run}/stories/task`)
  const [first, second] = runs.map((each) => each.sha)
  const path = `/api/runs/${run}/stories/task/diff`
  const between = await served.page.get<Diff>(`${path}?from=${first}&to=${second}`)
  expect(between).toMatchObject({ base: first, sha: second, diff: expect.stringContaining('-first try\n+new\n') })
  expect(between.diff).not.toContain('LINE 50')
  expect(await served.page.get<Diff>(`/api/runs/${run}/diff?to=${first}`)).toMatchObject({ base, sha: first })

  const wanted = (asked: Readonly<Record<string, string>>) => `/api/runs/${run}/lines?${new URLSearchParams(asked)}`
  const near = { sha: sha ?? '', path: 'dir/many lines.txt', start: '98', end: '120' }
  expect(await served.page.get(wanted(near))).toEqual({ start: 98, lines: lines.slice(97), total: 100 })
  const status = async (asked: string) => (await ask(served.port, asked, { headers: served.page.headers })).status
  expect(await status(wanted({ ...near, path: '../secret' }))).toBe(404)
  expect(await status(wanted({ ...near, path: '/etc/hostname' }))).toBe(404)
  expect(await status(wanted({ ...near, path: 'leads-out' }))).toBe(404)
  expect(await status(wanted({ ...near, path: '.git/config' }))).toBe(404)
  expect(await status(wanted({ ...near, path: 'binary.bin' }))).toBe(400)
  expect(await status(wanted({ ...near, end: '5000' }))).toBe(400)
  expect(await status(wanted({ ...near, start: '120', end: '98' }))).toBe(400)
  expect(await status(wanted({ ...near, sha: 'HEAD' }))).toBe(400)

  // A commit of the mirror that is not based on the run's base.
  const parent = await fixture.git('rev-parse', `${base}^`)
  for (const foreign of [parent, 'f'.repeat(40)]) {
    expect(await status(wanted({ ...near, sha: foreign }))).toBe(404)
    expect(await status(`${path}?from=${foreign}`)).toBe(404)
    const remarks = [{ path: 'value.txt', text: 'Better.' }]
    expect((await served.page.post(`/api/runs/${run}/remarks`, { sha: foreign, remarks })).status).toBe(404)
  }
})
