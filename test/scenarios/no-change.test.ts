import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunDetail, RunList } from '../../src/api/runs.ts'
import { serveHere } from '../server/served.ts'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { call, change, plan, resultOf, write } from './world/fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const claim = { reason: 'It says new already.', evidence: 'value.txt:1 is "new"' }
const noChange = call('no_change', claim)
const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [noChange] }

/** Makes the base green before any change. */
const greenBase = async () => {
  await fixture.write({ 'value.txt': 'new\n' })
  await fixture.git('commit', '-qam', 'new already')
}

describe('a task whose editor changes nothing', () => {
  test('ends as NO_CHANGE with the claim of its editor and the verdict of the base, the same everywhere', async () => {
    await greenBase()
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(done.exitCode, done.stderr).toBe(3)
    const result = resultOf(done)
    expect(result).toMatchObject({
      status: 'NO_CHANGE',
      branch: null,
      claim,
      outcome: {
        code: 'NO_CHANGE',
        tone: 'bad',
        sentence: 'The editor changed nothing. The verification of the base passed, but no test results were read.',
      },
      stories: [{ state: 'NO_CHANGE', verdict: 'PASS' }],
    })
    // The result has the summary; the text for people only has the outcome.
    expect(done.stderr).not.toContain(claim.reason)
    const { outcome } = result as { outcome: object }
    const [status] = (await fixture.drydock('status', '--json')).events
    expect(status).toMatchObject({ state: 'NO_CHANGE', outcome, branch: null })
    const [told] = (await fixture.drydock('report', '--json')).events
    expect(told).toMatchObject({ state: 'NO_CHANGE', outcome })
    expect((await fixture.drydock('report')).stdout).toContain(`It says:\n\n> ${claim.reason}`)
    const served = await serveHere(fixture)
    const { runs } = await served.page.get<RunList>('/api/runs')
    expect(runs).toMatchObject([{ state: 'NO_CHANGE', outcome }])
    const detail = await served.page.get<RunDetail>(`/api/runs/${result.run}`)
    await served.close()
    expect(detail).toMatchObject({ outcome, claim, can: { retry: true }, stories: [{ outcome: 'NO_CHANGE' }] })
    const again = await fixture.drydock('resume')
    expect(again.exitCode).toBe(3)
    expect(again.stdout).toMatch(/The editor changed nothing\. It says:\n\n> It says new already\./)
    expect(again.stdout).toMatch(/^Verified: {2}the base as it is: PASS, no test results were read, run_id run_/m)
    expect(again.stdout).toContain(`drydock accept ${result.run} no_change`)
  })

  test('is told that its base is red, and can be retried', async () => {
    const model = await fixture.replay({
      ...lanes,
      'editor/task@2/PLANNING': [plan()],
      'editor/task@2/CODING': [write('new\n'), change()],
    })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(3)
    expect(resultOf(done)).toMatchObject({
      status: 'NO_CHANGE',
      outcome: { sentence: 'The editor changed nothing. The verification of the base failed.' },
      stories: [{ verdict: 'FAIL' }],
    })
    const retried = await fixture.drydock('retry', '--json', '--model', model)
    expect(retried.exitCode, retried.stderr).toBe(0)
    expect(resultOf(retried)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new', outcome: { code: 'DONE' } })
    expect(resultOf(retried)).not.toHaveProperty('claim')
  })

  test('ends the same way when it submits an empty change', async () => {
    await greenBase()
    const model = await fixture.replay({ ...lanes, 'editor/task/CODING': [change('Nothing to do')] })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(done.exitCode).toBe(3)
    expect(resultOf(done)).toMatchObject({
      status: 'NO_CHANGE',
      claim: { reason: 'Nothing to do', evidence: null },
    })
  })

  test('is DONE once a person accepts that, and at once where that was said beforehand', async () => {
    await greenBase()
    const model = await fixture.replay(lanes)
    const { run } = resultOf(await fixture.drydock('task', 'say new', '--json', '--model', model))
    const accepted = await fixture.drydock('accept', String(run), 'no_change', '--json')
    expect(accepted.exitCode, accepted.stderr).toBe(0)
    expect(resultOf(accepted)).toMatchObject({
      status: 'DONE',
      branch: null,
      claim,
      outcome: { code: 'DONE', sentence: expect.stringContaining('The editor changed nothing, and this is accepted.') },
    })
    const before = await fixture.drydock('task', 'say new', '--accept', 'no_change', '--json', '--model', model)
    expect(before.exitCode).toBe(0)
    expect(resultOf(before)).toMatchObject({ status: 'DONE', claim })
  })

  test('is NO_CHANGE, and not done, when a base that fails was to be accepted beforehand', async () => {
    const model = await fixture.replay(lanes)
    const done = await fixture.drydock('task', 'say new', '--accept', 'no_change', '--json', '--model', model)
    expect(resultOf(done)).toMatchObject({ status: 'NO_CHANGE', stories: [{ verdict: 'FAIL' }] })
    expect(done.exitCode).toBe(3)
  })

  test('is NO_CHANGE in a dry run, too', async () => {
    const done = await fixture.drydock('task', '--dry-run', 'say new', '--model', await fixture.replay(lanes))
    expect(done.exitCode).toBe(3)
    expect(done.stdout).toContain(`The editor changed nothing. It says:\n\n> ${claim.reason}`)
    expect(done.stdout).toContain('Verified:  nothing: this was a dry run')
  })

  test('may not claim so while files differ', async () => {
    const model = await fixture.replay({ ...lanes, 'editor/task/CODING': [write('new\n'), noChange, change()] })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
    const records = (await fixture.open()).openRecords()
    const answer = await records?.toolExecution(`${resultOf(done).run}/editor/task/CODING`, 1, 0)
    await records?.close()
    expect(answer).toMatchObject({ success: false, result: expect.stringContaining('value.txt') })
  })
})
