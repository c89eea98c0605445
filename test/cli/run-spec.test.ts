import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, type Fixture, resultOf } from '../scenarios/world/fixture.ts'
import { createMemoryFixture } from '../world/fixture.ts'
import { planned, specText } from './crew-world.ts'

let fixture: Fixture
let spec: string

beforeEach(async () => {
  fixture = await createMemoryFixture()
  spec = join(fixture.folder, 'spec.md')
  await writeFile(spec, specText)
})

afterEach(() => fixture.remove())

const stories = [planned('parser'), planned('printer', { depends_on: ['parser'] })]

const lanes = {
  'architect/SCOPING': [call('submit_reply', { response: 'Two parts.' })],
  'architect/STORY_GENERATION': [call('submit_stories', { stories })],
}

test('a plan is made once, shown, written, and taken by run; a run that waits ends with 6, and its answer is taken up by resume', async () => {
  const model = await fixture.replay(lanes)
  const first = await fixture.drydock('plan', spec, '--json', '--model', model)
  expect(first.exitCode, first.stderr).toBe(0)
  expect(resultOf(first)).toMatchObject({ status: 'DONE', kind: 'spec', branch: null, answer: stories })
  const file = join(fixture.folder, 'plan.json')
  const again = await fixture.drydock('plan', spec, '--output', file)
  expect(again.stderr).toContain('is already planned')
  expect(again.stdout).toContain('printer: Make the printer')
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ stories })

  const args = ['run', spec, '--plan', file, '--review-stories', '--no-wait', '--model', await fixture.replay({})]
  const waits = await fixture.drydock(...args, '--json')
  expect(waits.exitCode, waits.stderr).toBe(6)
  const asked = waits.events.find(({ type }) => type === 'escalation')
  expect(asked).toMatchObject({ id: '1', story: null, question: expect.stringContaining('approve') })
  expect((await fixture.drydock(...args)).stderr).toContain('The same spec is unfinished')
  expect((await fixture.drydock('reply', '1', 'stop')).stdout).toBe('Recorded. Continue with: drydock resume\n')
  const ended = await fixture.drydock('resume', '--json')
  expect(ended.exitCode).toBe(5)
  expect(resultOf(ended)).toMatchObject({ status: 'CANCELLED', run: waits.events[0]?.run })
})

test('with --no-wait the answer of a recorded human is waited for', async () => {
  const file = join(fixture.folder, 'with-human.json')
  await writeFile(file, JSON.stringify({ version: 1, lanes, human: [{ escalation: 1, reply: 'stop' }] }))
  const done = await fixture.drydock('run', spec, '--review-stories', '--no-wait', '--model', `replay:${file}`)
  expect(done.exitCode, done.stderr).toBe(5)
  expect(done.stderr).toMatch(/ASKS YOU[\s\S]*answered +message 1/)
})

test('an unfinished spec keeps its settings: an identical start continues it, and any other is refused', async () => {
  const file = join(fixture.folder, 'plan.json')
  await writeFile(file, JSON.stringify(stories))
  const args = ['run', spec, '--plan', file, '--review-stories', '--no-wait', '--model', await fixture.replay({})]
  const first = await fixture.drydock(...args, '--budget-usd', '1', '--json')
  expect(first.exitCode, first.stderr).toBe(6)
  const run = String(first.events[0]?.run)

  const less = await fixture.drydock(...args, '--budget-usd', '0.5', '--config', 'other.json')
  expect(less).toMatchObject({ exitCode: 2, stdout: '' })
  expect(less.stderr).toContain(`${run} was started with other --budget-usd, --config`)
  expect(less.stderr).toContain(`drydock budget ${run} --raise`)
  expect((await fixture.drydock(...args, '--budget-usd', '1')).exitCode).toBe(6)
  const plain = args.filter((arg) => arg !== '--review-stories')
  expect((await fixture.drydock(...plain)).exitCode).toBe(6)
})
