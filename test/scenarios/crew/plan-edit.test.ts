import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { PlannedStory } from '../../../src/domain/story/planned-story.ts'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { conversationOf } from '../world/conversation.ts'
import { greenStory, planned, reject, specLanes } from '../world/crew.ts'
import { answerStory, escalations, play, statesOf, withRecords, writePlan, writeScript } from '../world/crew-script.ts'
import { type CommandResult, resultOf } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

interface PlanInFile {
  readonly version: string
  readonly stories: readonly PlannedStory[]
}

/** The output of `plan edit --output`, as a person gets it. */
async function planNow(...run: readonly string[]): Promise<PlanInFile> {
  const file = join(fixture.folder, `plan-${crypto.randomUUID()}.json`)
  const written = await fixture.drydock('plan', 'edit', ...run, '--output', file)
  expect(written.exitCode, written.stderr).toBe(0)
  return JSON.parse(await readFile(file, 'utf8'))
}

async function giveBack(plan: object, ...run: readonly string[]): Promise<CommandResult> {
  const file = join(fixture.folder, `edited-${crypto.randomUUID()}.json`)
  await writeFile(file, JSON.stringify(plan))
  return fixture.drydock('plan', 'edit', ...run, '--from', file)
}

const as = (id: string, more: object = {}) => planned({ id, ...more })

test('a plan that a person edits is built as edited, and report and receipt say who edited what', async () => {
  fixture = await createCrewFixture()
  const model = await writeScript(fixture, {
    lanes: { ...specLanes('one', 'two', 'gone'), ...greenStory('one'), ...greenStory('three') },
  })
  const given = ['--model', model, '--json'] as const
  await fixture.drydock('plan', 'Make the files', ...given)
  const shown = await planNow()
  expect(shown.stories.map(({ id }) => id)).toEqual(['one', 'two', 'gone'])
  const [one] = shown.stories
  const edited = await giveBack({ ...shown, stories: [one, as('three', { depends_on: ['one'] })] })
  expect([edited.exitCode, edited.stderr]).toMatchObject([0, expect.any(String)])
  const again = await fixture.drydock('plan', 'Make the files', ...given)
  expect(resultOf(again).answer).toMatchObject([{ id: 'one' }, { id: 'three', edited_by: expect.any(String) }])

  const built = await fixture.drydock('plan', 'build', ...given, '--no-wait')
  expect([built.exitCode, statesOf(built)], built.stderr).toEqual([0, { one: 'DONE', three: 'DONE' }])
  const report = (await fixture.drydock('report')).stdout
  expect(report).toMatch(/Built from the plan: make-the-files-/)
  expect(report).toMatch(/### three: Make three[\s\S]*Edited by: /)
  expect(report).not.toMatch(/### one: Make one[\s\S]*Edited by[\s\S]*### three/)
  const tip = await fixture.git('rev-parse', 'drydock/make-the-files')
  expect((await fixture.drydock('receipt', 'show', tip)).stdout).toMatch(/three: Make three \(edited by .+\)/)
  expect((await fixture.drydock('receipt', 'show', `${tip}~1`)).stdout).not.toContain('edited by')
})

/** A second model without replies. */
async function otherModel(): Promise<string> {
  const file = join(fixture.folder, 'other.json')
  await writeFile(file, JSON.stringify({ version: 1, lanes: {} }))
  return `replay:${file}`
}

const planLine = (stderr: string) => /Build them:\s+drydock (.*)/.exec(stderr)?.[1] ?? ''

test('the line that builds a plan works as it is printed: what the plan was given holds for its building', async () => {
  fixture = await createCrewFixture()
  const lanes = { ...specLanes('one'), ...greenStory('one') }
  const model = await writeScript(fixture, { lanes })
  const config = join(fixture.folder, 'config.json')
  await writeFile(config, await fixture.git('show', 'HEAD:.drydock/config.json'))
  const other = await otherModel()
  const given = ['--architect-model', model, '--scout-model', other, '--editor-model', model]
  const more = ['--budget-usd', '3', '--max-wait', '90s', '--config', config]
  const shown = await fixture.drydock('plan', 'Make the files', ...given, ...more)
  expect([shown.exitCode, planLine(shown.stderr)], shown.stderr).toEqual([0, 'plan build'])
  const built = await fixture.drydock(...planLine(shown.stderr).split(' '), '--json', '--no-wait')
  expect([built.exitCode, statesOf(built)], built.stderr).toEqual([0, { one: 'DONE' }])
  expect(built.stderr).toContain(`--editor-model ${model} --scout-model`)
  const run = (await withRecords(fixture, (records) => records.machines({ kind: 'run' }))).at(-1)
  expect(run?.data).toMatchObject({ budgetUsd: 3, maxWaitSec: 90, configFile: config })
  expect(run?.data.models).toMatchObject({ architect: model, editor: model, scout: other })
})

test('settings for building a plan override those of the plan', async () => {
  fixture = await createCrewFixture()
  const model = await writeScript(fixture, { lanes: { ...specLanes('one'), ...greenStory('one') } })
  const before = ['--model', model, '--scout-model', await otherModel(), '--budget-usd', '3']
  const shown = await fixture.drydock('plan', 'Make the files', ...before)
  expect(shown.exitCode, shown.stderr).toBe(0)
  const given = ['--model', model, '--budget-usd', '4']
  const built = await fixture.drydock('plan', 'build', ...given, '--json', '--no-wait')
  expect(built.exitCode, built.stderr).toBe(0)
  const run = (await withRecords(fixture, (records) => records.machines({ kind: 'run' }))).at(-1)
  expect(run?.data).toMatchObject({ budgetUsd: 4, models: { architect: model, editor: model, scout: model } })
})

test('a plan in a file is built from the file, with the flags that the plan was given', async () => {
  fixture = await createCrewFixture()
  const model = await writeScript(fixture, { lanes: { ...specLanes('one'), ...greenStory('one') } })
  const file = join(fixture.folder, 'plan.json')
  const shown = await fixture.drydock('plan', 'Make the files', '--model', model, '--budget-usd', '3', '--output', file)
  expect(planLine(shown.stderr), shown.stderr).toBe(`plan build --from ${file}`)
  const { stories } = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ stories: [{ ...stories[0], title: 'Make it' }] }))
  const built = await fixture.drydock(...planLine(shown.stderr).split(' '), '--json', '--no-wait')
  expect([built.exitCode, statesOf(built)], built.stderr).toEqual([0, { one: 'DONE' }])
  expect(resultOf(built).stories).toMatchObject([{ title: 'Make it' }])
  const wrong = await fixture.drydock('plan', 'Make the files', '--from', file)
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('--from works only with')])
})

test('if two people edit the same plan the second is told, and neither loses anything', async () => {
  fixture = await createCrewFixture()
  const model = await writeScript(fixture, { lanes: specLanes('one', 'two') })
  await fixture.drydock('plan', 'Make the files', '--model', model, '--json')
  const seen = await planNow()
  expect((await giveBack({ ...seen, stories: [as('one')] })).exitCode).toBe(0)
  const second = await giveBack({ ...seen, stories: [as('two')] })
  expect([second.exitCode, second.stderr]).toEqual([2, expect.stringContaining('Somebody has edited the plan')])
  expect((await planNow()).stories.map(({ id }) => id)).toEqual(['one'])
})

test('a plan that cannot be built is refused with every reason, and stays as it was', async () => {
  fixture = await createCrewFixture()
  const model = await writeScript(fixture, { lanes: specLanes('one', 'two') })
  await fixture.drydock('plan', 'Make the files', '--model', model, '--json')
  const seen = await planNow()
  const wrong = [as('one', { depends_on: ['gone'] }), as('two', { depends_on: ['two'], acceptance_criteria: [] })]
  const refused = await giveBack({ ...seen, stories: wrong })
  expect(refused.exitCode).toBe(2)
  for (const reason of ['"one" depends on "gone"', 'wait for each other: two', '"two" has no acceptance criterion'])
    expect(refused.stderr).toContain(reason)
  expect(await planNow()).toEqual(seen)
})

test('stories that wait for approval are asked for again when they were edited: the old question approves nothing', async () => {
  fixture = await createCrewFixture()
  const lanes = { ...specLanes('one', 'two'), ...greenStory('two') }
  const waiting = await play(fixture, { lanes }, '--review-stories')
  expect(waiting.exitCode).toBe(6)
  const { run } = conversationOf(fixture, waiting)
  const seen = await planNow(run)
  const given = await giveBack({ ...seen, stories: [as('two')] }, run)
  expect(given.exitCode, given.stderr).toBe(0)
  const [old] = escalations(waiting)
  const late = await fixture.drydock('reply', old?.id ?? '', 'approve')
  expect([late.exitCode, late.stderr]).toEqual([2, expect.stringContaining('already has an answer')])
  const asked = (await withRecords(fixture, (records) => records.chat({ run, postType: 'escalate' }))).at(-1)
  expect(asked?.content).not.toContain('Make one')
  await fixture.drydock('reply', asked?.id ?? '', 'approve')
  const built = await fixture.drydock('resume', '--json', '--no-wait')
  expect([built.exitCode, statesOf(built)]).toEqual([0, { two: 'DONE' }])
})

test('while a Run builds, only what has not begun can be edited; a dropped story is none of its result’s failures', async () => {
  fixture = await createCrewFixture()
  const plan = await writePlan(
    fixture,
    { id: 'low' },
    { id: 'high', depends_on: ['low'] },
    { id: 'top', depends_on: ['high'] },
  )
  const lanes = {
    'editor/low/PLANNING': greenStory('low')['editor/low/PLANNING'] ?? [],
    'architect/REQUEST/plan/low/1': [reject()],
    ...greenStory('high'),
    ...greenStory('more'),
  }
  const stopped = await play(fixture, { lanes }, '--plan', plan)
  expect(stopped.exitCode).toBe(6)
  const { run } = conversationOf(fixture, stopped)
  const seen = await planNow(run)
  const [low, high] = seen.stories
  const begun = await giveBack({ ...seen, stories: [{ ...low, title: 'Another' }, high] }, run)
  expect([begun.exitCode, begun.stderr]).toEqual([2, expect.stringContaining('story "low" has begun (REJECTED)')])
  // The story no longer depends on the rejected one, `top` is removed, and another one is added.
  const edited = await giveBack({ ...seen, stories: [low, as('more'), { ...high, depends_on: [] }] }, run)
  expect(edited.exitCode, edited.stderr).toBe(0)
  await fixture.drydock('resume', '--json', '--no-wait')
  const built = await answerStory(fixture, 'low', 'skip')
  expect(statesOf(built)).toEqual({ low: 'CANCELLED', high: 'DONE', top: 'DROPPED', more: 'DONE' })
  expect(resultOf(built).outcome).toMatchObject({ code: 'SKIPPED', sentence: 'It is built without low.' })
  const back = await withRecords(fixture, (records) => records.recentEvents({ run, types: ['plan_edit'], limit: 5 }))
  expect(back.map(({ data }) => data)).toMatchObject([
    { outcome: 'edited', added: ['more'], changed: ['high'], dropped: ['top'] },
  ])
})
