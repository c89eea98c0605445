import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { memoryNode } from '../world/node.ts'
import type { Program } from '../world/sandbox.ts'
import { conversationOf } from './world/conversation.ts'
import { approve, type Lanes, reply, specLanes, storyPlan, submit, writeFile } from './world/crew.ts'
import { play, statesOf } from './world/crew-script.ts'
import { change, plan, resultOf } from './world/fixture.ts'

const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
const one = `test('one', () => assert.ok(Date.now() > 1))\n`
const two = `test('two', () => assert.ok(Date.now() > 2))\n`
const command = 'node --test --test-reporter=spec $(cat tests.list)'
const steps = [{ name: 'test', command, timeout_sec: 30 }]
/** A pattern matches all tests. */
const listed: Program = (seen) => {
  const named = (seen.read('tests.list') ?? '').trim().split(/\s+/)
  return memoryNode(seen, ['--test', ...named.filter((each) => !each.includes('*'))])
}
const programs = { [command]: listed }
const files = {
  'package.json': '{ "type": "module" }\n',
  'test/a.test.js': head + one + two,
  'tests.list': 'test/*.test.js\n',
}
const gutted = writeFile('test/a.test.js', `${head}test('one', () => assert.ok(true))\n`)
const whole = writeFile('test/a.test.js', files['test/a.test.js'])

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture({ steps, files, programs })
})
afterEach(() => fixture.remove())

interface FindingRow {
  readonly id: string
  readonly state: string
  readonly claim: string
}

const findingsOf = (result: Awaited<ReturnType<Fixture['drydock']>>): readonly FindingRow[] =>
  ((resultOf(result).stories as { findings?: readonly FindingRow[] }[])[0]?.findings ?? []) as readonly FindingRow[]

describe('a task that removes a test', () => {
  const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [gutted, change('Less to run')] }
  const task = async (...flags: readonly string[]) =>
    fixture.drydock('task', 'less tests', '--model', await fixture.replay(lanes), '--no-ui', ...flags)

  test('is green and ends with 3, until a person has accepted each finding by name', async () => {
    const done = await task('--json')
    expect(done.exitCode).toBe(3)
    const found = findingsOf(done)
    expect(found.map(({ state, claim }) => [state, claim])).toEqual([
      ['open', 'Tests that ran on the base commit no longer run: 1, in step test.'],
      ['open', expect.stringMatching(/^test\/a\.test\.js has \d assertions? instead of \d\.$/)],
    ])
    const [first, second] = found.map(({ id }) => id)
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/less-tests' })
    expect((await fixture.drydock('status')).stdout).toMatch(
      /has 2 open findings of the gate\. Read: +drydock report less-tests-/,
    )
    // Nobody is asked to land work with findings that must be accepted first.
    const { run } = resultOf(done)
    for (const command of ['report', 'watch']) {
      const { stdout } = await fixture.drydock(command, String(run))
      expect(stdout).toMatch(/[Aa]ccept.*: +drydock accept/)
      expect(stdout).not.toContain('git merge')
    }
    const named = await fixture.drydock('accept', 'no-such-task', first ?? '')
    expect([named.exitCode, named.stderr]).toEqual([2, expect.stringContaining('no-such-task')])
    const half = await fixture.drydock('accept', String(run), first ?? '')
    expect([half.exitCode, half.stdout]).toEqual([
      3,
      expect.stringMatching(new RegExp(`drydock accept less-tests-\\w+ ${second}`)),
    ])
    expect(half.stdout).not.toMatch(new RegExp(`drydock accept .*${first}`))
    // The spelling of 0.9 still works, and names the new one.
    const all = await fixture.drydock('task', '--accept', second ?? '', '--json')
    expect(all.stderr).toContain(`Write instead:  drydock accept ${run} ${second}`)
    expect([all.exitCode, findingsOf(all).map(({ state }) => state)]).toEqual([0, ['accepted', 'accepted']])
    for (const command of ['report', 'watch'])
      expect((await fixture.drydock(command, String(run))).stdout).toContain('git merge drydock/less-tests')
    expect((await fixture.drydock('resume', '--json')).exitCode).toBe(0)
  })

  test('names its findings and how to accept them', async () => {
    const { stdout, exitCode } = await task()
    expect(exitCode).toBe(3)
    expect(stdout).toMatch(/g-[0-9a-f]{12}: Tests that ran on the base commit no longer run/)
    expect(stdout).toMatch(/Accept: +drydock accept less-tests-\w+ g-[0-9a-f]{12} g-[0-9a-f]{12}/)
  })

  test('ends with 0 when each was accepted beforehand', async () => {
    const ids = findingsOf(await task('--json')).map(({ id }) => id)
    const again = await task('--json', ...ids.flatMap((id) => ['--accept', id]))
    expect([again.exitCode, findingsOf(again).map(({ state }) => state)]).toEqual([0, ['accepted', 'accepted']])
    expect(again.stderr).toContain('Accept what the result has instead:  drydock accept <run> <finding>')
  })

  test('does not take an id that it does not have', async () => {
    const { run } = resultOf(await task('--json'))
    const named = await fixture.drydock('task', 'another', '--run', 'less-tests')
    expect([named.exitCode, named.stderr]).toEqual([
      2,
      expect.stringContaining('--run works only together with --accept'),
    ])
    const { exitCode, stderr } = await fixture.drydock('accept', String(run), 'g-000000000000')
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/has no finding g-000000000000[\s\S]*Its findings: g-/),
    ])
  })
})

describe('a story that removes a test', () => {
  const lanes = (code: readonly object[], ...reviews: readonly object[]): Lanes => ({
    ...specLanes('a'),
    'editor/a/PLANNING': [storyPlan('a')],
    'architect/REQUEST/plan/a/1': [approve()],
    'editor/a/CODING': code,
    ...Object.fromEntries(reviews.map((review, i) => [`architect/REQUEST/code/a/${i + 1}`, [review]])),
  })
  const inShort = [writeFile('test/a.test.js', head + one), writeFile('a.txt', 'a\n'), submit('a')]

  test('goes back to its editor though the reviewer has approved it, and merges once the test is there again', async () => {
    const done = await play(fixture, { lanes: lanes([...inShort, whole, submit('a')], approve(), approve()) })
    expect(statesOf(done)).toEqual({ a: 'DONE' })
    const { results, events, prompt } = conversationOf(fixture, done)
    const [, , submitted] = await results('editor/a/CODING')
    expect(submitted?.output).toMatch(/NEEDS_CHANGES[\s\S]*\[g-[0-9a-f]{12}\] major, open[\s\S]*no longer run/)
    expect((await events('review')).map(({ data }) => [data.kind, data.verdict, data.open])).toEqual([
      ['plan', 'APPROVED', 0],
      ['code', 'NEEDS_CHANGES', 1],
      ['code', 'APPROVED', 0],
    ])
    expect(await prompt('architect/REQUEST/code/a/1')).toMatch(
      /Findings of the gate:[\s\S]*<gate_findings>[\s\S]*- two/,
    )
    expect(await prompt('architect/REQUEST/code/a/2')).not.toContain('<gate_findings>')
  })

  test('merges when the reviewer accepts each finding by its id', async () => {
    const refused = await play(fixture, { lanes: lanes(inShort, approve()) })
    const [, review] = await conversationOf(fixture, refused).events('review')
    const ids = (review?.data.findings ?? []).map(({ id }) => id)
    // The removed test and its assertion are a single finding.
    expect(ids).toHaveLength(1)
    await fixture.remove()
    fixture = await createFixture({ steps, files, programs })
    const done = await play(fixture, { lanes: lanes(inShort, approve({ accepted: ids })) })
    expect(statesOf(done)).toEqual({ a: 'DONE' })
    expect(await fixture.git('show', `${resultOf(done).branch}:test/a.test.js`)).toBe((head + one).trim())
  })
})

test('a merge that switches off the tests of another story goes back to its editor', async () => {
  const lane = (id: string, write: readonly object[], more: readonly object[] = []): Lanes => ({
    [`editor/${id}/PLANNING`]: [storyPlan(id)],
    [`architect/REQUEST/plan/${id}/1`]: [approve()],
    [`editor/${id}/CODING`]: [...write, submit(id), ...more],
    [`architect/REQUEST/code/${id}/1`]: [approve()],
    [`architect/REQUEST/code/${id}/2`]: [approve()],
  })
  const done = await play(fixture, {
    lanes: {
      ...specLanes('adds', 'narrows'),
      ...lane('adds', [
        writeFile('src/sub.js', 'export const sub = (a, b) => a - b\n'),
        writeFile(
          'test/b.test.js',
          `${head}import { sub } from '../src/sub.js'\ntest('subtracts', () => assert.equal(sub(2, 1), 1))\n`,
        ),
      ]),
      ...lane(
        'narrows',
        [writeFile('tests.list', 'test/a.test.js\n')],
        [writeFile('tests.list', 'test/a.test.js test/b.test.js\n'), submit('narrows')],
      ),
    },
    mergeOrder: ['adds', 'narrows'],
  })
  expect(statesOf(done)).toEqual({ adds: 'DONE', narrows: 'DONE' })
  const [, submitted] = await conversationOf(fixture, done).results('editor/narrows/CODING')
  expect(submitted?.output).toMatch(/has not accepted[\s\S]*no longer run: 1[\s\S]*subtracts/)
})

/** `again` is true when the step runs a second time. */
const flakyHead = `import fs from 'node:fs'\nconst seen = \`\${process.env.ARTIFACT_DIR}/tmp/seen\`\nconst again = fs.existsSync(seen)\nfs.writeFileSync(seen, '')\n`
const sometimes = `test('sometimes', () => assert.ok(again))\n`
const otherTimes = `test('at other times', () => assert.ok(!again))\n`

test('a verdict by a flaky test alone forces no new plan, and the same tree is tried once more', async () => {
  const content = head + flakyHead + one + two
  const broken = writeFile('test/a.test.js', `${content}test('broken', () => assert.equal(again, 2))\n`)
  const lanes = {
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      broken,
      change(),
      // A third failure in a row would end the lane.
      writeFile('test/a.test.js', content + sometimes + otherTimes),
      change(),
      change(),
      writeFile('test/a.test.js', content + sometimes),
      change(),
    ],
  }
  const done = await fixture.drydock('task', 'flaky', '--json', '--model', await fixture.replay(lanes))
  // A new test that passes by chance is not excused, even with another value.
  expect(done.exitCode, done.stderr).toBe(3)
  const { events, story } = conversationOf(fixture, done)
  const verified = (await events('verification')).map(({ data }) => [data.status, data.flaky])
  const both = ['FAIL', ['sometimes', 'at other times']]
  expect(verified).toEqual([['FAIL', undefined], both, both, ['PASS', ['sometimes']]])
  expect((await story()).data.failures).toEqual({ consecutive: 0, loops: 0 })
  expect((resultOf(done).stories as { summary: string }[])[0]?.summary).toContain('FLAKY')
})

describe('when flaky tests alone decide three verdicts in a row', () => {
  const content = head + flakyHead + one + two + sometimes + otherTimes
  /** Submissions, each with another tree. */
  const flaky = (count: number, handIn: object, from = 0) =>
    Array.from({ length: count }, (_, i) => [writeFile('test/a.test.js', `${content}// ${from + i}\n`), handIn]).flat()
  const steady = writeFile('test/a.test.js', head + flakyHead + one + two)
  const cause = 'flaky tests alone decided its last 3 verdicts against it: sometimes, at other times'

  test('the architect is asked, and the editor continues with the answer and with its count at 0', async () => {
    const lanes = {
      ...specLanes('a'),
      'editor/a/PLANNING': [storyPlan('a')],
      'architect/REQUEST/plan/a/1': [approve()],
      'editor/a/CODING': [...flaky(3, submit('a')), ...flaky(3, submit('a'), 3), steady, submit('a')],
      'architect/REQUEST/budget/a/1': [approve()],
      'architect/REQUEST/budget/a/2': [reply('Drop the other test.', { verdict: 'NEEDS_CHANGES' })],
      'architect/REQUEST/code/a/1': [approve()],
    }
    const done = await play(fixture, { lanes })
    expect(statesOf(done)).toEqual({ a: 'DONE' })
    const { prompt, messages } = conversationOf(fixture, done)
    const figures = await prompt('architect/REQUEST/budget/a/1')
    expect(figures).toContain(`turns used: 6 of 400\nstopped because: ${cause}\n`)
    expect(await prompt('architect/REQUEST/budget/a/2')).toContain('turns used: 6 of 400')
    const told = (await messages('editor/a/CODING')).flatMap((each) => (each.role === 'user' ? [each.text] : []))
    expect(told.at(-1)).toMatch(/^You were stopped: flaky tests alone decided[\s\S]*Drop the other test/)
  })

  test('a task ends STUCK with a report that names them, and a retry restarts it', async () => {
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': flaky(3, change()),
      'editor/task@2/PLANNING': [plan()],
      'editor/task@2/CODING': [steady, change()],
    }
    const model = await fixture.replay(lanes)
    const stuck = await fixture.drydock('task', 'flaky', '--json', '--model', model)
    expect(resultOf(stuck).status).toBe('STUCK')
    expect((await fixture.drydock('report')).stdout).toContain(`Why: the editor was stopped: ${cause}`)
    const retried = await fixture.drydock('retry', `${resultOf(stuck).run}`, '--json', '--model', model)
    expect(resultOf(retried).status).toBe('DONE')
  })
})

test('a flaky test is listed for people with its history in the repository', async () => {
  await fixture.write({ 'test/a.test.js': head + flakyHead + one + two + sometimes })
  await fixture.git('commit', '-qam', 'flaky')
  const gate = await fixture.drydock('verify')
  expect([gate.exitCode, gate.stderr]).toEqual([
    0,
    expect.stringContaining('FLAKY, failed and passed without a change: sometimes'),
  ])
  const lanes = {
    ...specLanes('a'),
    'editor/a/PLANNING': [storyPlan('a')],
    'architect/REQUEST/plan/a/1': [approve()],
    'editor/a/CODING': [writeFile('a.txt', 'a\n'), submit('a')],
    'architect/REQUEST/code/a/1': [approve()],
  }
  const done = await play(fixture, { lanes })
  expect(statesOf(done)).toEqual({ a: 'DONE' })
  const { stdout } = await fixture.drydock('report')
  expect(stdout).toMatch(/Flaky tests[\s\S]*sometimes: 3 times since 2\d{3}-\d\d-\d\d, last in run_\w+ of a/)
})
