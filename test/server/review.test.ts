import { expect, onTestFinished, test } from 'vitest'
import { change, createFixture, greenLanes, plan, resultOf, write } from '../scenarios/world/fixture.ts'
import { serveHere } from './served.ts'

test('remarks are submitted over HTTP as a batch, listed with their fates, and refused in words', async () => {
  const fixture = await createFixture()
  const model = await fixture.replay({
    ...greenLanes,
    'editor/review-1/PLANNING': [plan()],
    'editor/review-1/CODING': [
      write('new, and better\n'),
      change('Better', { remarks: [{ id: 'F-1', settled: true, reply: 'It is.' }] }),
    ],
  })
  const { run } = resultOf(await fixture.drydock('task', 'Say new', '--model', model, '--json'))
  const served = await serveHere(fixture)
  onTestFinished(async () => {
    await served.close()
    await fixture.remove()
  })
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
