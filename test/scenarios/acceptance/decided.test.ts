import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStory } from '../../../src/app/views/story.ts'
import type { ViewSources } from '../../../src/app/views/view-sources.ts'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { memoryNode } from '../../world/node.ts'
import { criterion, doubling, honest, judgement, onlyTwo, quoted, testOf, write, written } from '../world/acceptance.ts'
import { type CommandResult, change, plan, resultOf } from '../world/fixture.ts'

/** An author of tests, and a reader who finds a demand for each of them. */
const authors = (name: string, content: string) => ({
  'architect/ACCEPTANCE/task': [
    written({
      files: [{ path: 'quokka.test.js', content }],
      criteria: [{ id: 'C1', tests: [name], behaviour: 'new' }],
    }),
  ],
  'architect/ACCEPTANCE_QUOTES/task/1': [quoted(criterion, name)],
})

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture({ programs: { node: memoryNode }, ...doubling })
})
afterAll(() => fixture.remove())

type Lanes = Parameters<Fixture['replay']>[0]

/** A task whose plan a person has to approve: its tests are ready by then. */
async function planned(lanes: Lanes): Promise<{ readonly run: string; readonly question: string }> {
  const model = await fixture.replay({ 'editor/task/PLANNING': [plan()], ...lanes })
  const asked = await fixture.drydock(
    'task',
    'double numbers',
    '--criterion',
    criterion,
    '--acceptance',
    '--review-plan',
    '--json',
    '--no-wait',
    '--model',
    model,
  )
  expect(asked.exitCode, asked.stderr + asked.stdout).toBe(6)
  const question = asked.events.findLast(({ type }) => type === 'escalation')?.question
  return { run: String(asked.events[0]?.run), question: String(question) }
}

async function approved(run: string): Promise<CommandResult> {
  const records = (await fixture.open()).openRecords()
  const [asked] = await records.chat({ run, postType: 'escalate' })
  await records.close()
  expect((await fixture.drydock('reply', asked?.id ?? '', 'approve')).exitCode).toBe(0)
  return fixture.drydock('resume', run, '--json', '--no-wait')
}

const verdicts = ({ events }: CommandResult) =>
  events.filter(({ type }) => type === 'verification').map(({ status }) => status)

/** Everything about a Run that people see, which must not contain the hidden tests. */
async function shownOf(run: string): Promise<string> {
  const lines = ['report', 'log', 'status', 'chat'].flatMap((name) => [[name], [name, '--json']])
  const printed: string[] = []
  for (const args of lines) printed.push((await fixture.drydock(...args, run)).stdout)
  const records = (await fixture.open()).openRecords()
  const sources = {
    records,
    isOwned: () => false,
    now: () => new Date(),
    goneBranches: async () => new Map(),
  } as unknown as ViewSources
  const story = await readStory(sources, run, 'task')
  const branch = (await records.machineOf('run', run))?.data.branch
  await records.close()
  if (branch) printed.push((await fixture.drydock('receipt', 'show', branch, '--json')).stdout)
  return JSON.stringify([printed, story])
}

test('a confirmed test fails the verification of what does not meet it, and nothing that people see has a byte of it', async () => {
  const { run, question } = await planned({
    ...authors('a quokka is doubled', testOf('a quokka is doubled', 9137)),
    'editor/task/CODING': [onlyTwo, write('double.test.js', testOf('two is doubled', 2)), change(), honest, change()],
  })
  expect(question).toContain('An architect also writes tests of the criterion')
  expect(question).toContain('at most 64 requests.')
  const before = await fixture.drydock('acceptance', run)
  expect(before.stdout).toContain(`C1 red on base: ${criterion}`)
  expect(before.stdout).toContain('double(9137), 18274')
  const confirmed = await fixture.drydock('acceptance', run, '--confirm', 'C1', '--json')
  expect(confirmed.events, confirmed.stderr).toMatchObject([
    { type: 'acceptance', run, story: 'task', confirm: ['C1'] },
  ])
  const done = await approved(run)
  expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
  expect(verdicts(done)).toEqual(['FAIL', 'PASS'])
  const shown = await shownOf(run)
  expect(shown).toContain('"word":"met"')
  expect(shown).toContain(`C1 met: ${criterion} (confirmed by the user)`)
  expect(shown).toContain('acceptance tests ready 1 tested, 1 confirmed')
  expect(shown).not.toMatch(/quokka|9137|18274/)
  const late = await fixture.drydock('acceptance', run, '--drop', 'C1')
  expect([late.exitCode, late.stderr]).toEqual([2, expect.stringContaining('has ended: DONE')])
})

test('a wrong test that a person drops holds the same change no more, and the receipt says who did', async () => {
  const model = await fixture.replay({
    ...authors('a quokka is doubled', testOf('a quokka is doubled', 9137, 73)),
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [honest, change(), change('It is right'), honest, change()],
    'architect/REQUEST/acceptance/task/1': [judgement({ id: 'C1', decision: 'stands', reason: 'It is not met.' })],
  })
  const args = ['task', 'double numbers', '--criterion', criterion, '--acceptance', '--json', '--no-wait']
  const asked = await fixture.drydock(...args, '--model', model)
  expect(asked.exitCode, asked.stderr + asked.stdout).toBe(6)
  const run = String(asked.events[0]?.run)
  expect((await fixture.drydock('acceptance', run)).stdout).toContain(`C1 disputed: ${criterion} (stands by architect)`)
  const unknown = await fixture.drydock('acceptance', run, '--drop', 'C7')
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('There are: C1.')])
  const dropped = await fixture.drydock('acceptance', run, '--drop', 'C1')
  expect(dropped.exitCode, dropped.stderr).toBe(0)
  const done = await fixture.drydock('resume', run, '--json', '--no-wait')
  const result = resultOf(done)
  expect(result, done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
  expect(done.events.filter(({ type }) => type === 'state').map(({ to }) => to)).toEqual(['VERIFYING', 'DONE'])
  const { stdout } = await fixture.drydock('receipt', 'show', String(result.branch), '--json')
  expect(JSON.parse(stdout).receipt.acceptance, stdout).toEqual([
    {
      id: 'C1',
      text: criterion,
      result: 'dropped',
      confirmed: false,
      judged: { decision: 'dropped', by: 'the user', reason: '' },
    },
  ])
})

test('files of a person take the place of a test, are tried on the base, and decide', async () => {
  const { run } = await planned({
    ...authors('a quokka is doubled', testOf('a quokka is doubled', 2)),
    'editor/task/CODING': [onlyTwo, change(), honest, change()],
  })
  const folder = join(fixture.folder, 'mine')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'quokka.test.js'), testOf('a numbat is doubled', 41))
  const bare = await fixture.drydock('acceptance', run, '--edit', folder)
  expect([bare.exitCode, bare.stderr]).toEqual([2, expect.stringContaining('--criterion C1')])
  const edited = await fixture.drydock(
    'acceptance',
    run,
    '--edit',
    folder,
    '--criterion',
    'C1',
    '--test',
    'a numbat is doubled',
  )
  expect(edited.exitCode, edited.stderr).toBe(0)
  const done = await approved(run)
  expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
  expect(verdicts(done)).toEqual(['FAIL', 'PASS'])
  const after = (await fixture.drydock('acceptance', run)).stdout
  expect(after).toContain(`C1 met: ${criterion} (mended by the user)`)
  expect(after).toContain('double(41), 82')
  expect(after).not.toContain('a quokka')
})

test('a test of a person that does not hold on the base decides about nothing, and says why', async () => {
  const { run } = await planned({
    ...authors('a quokka is doubled', testOf('a quokka is doubled', 9137)),
    'editor/task/CODING': [honest, change()],
  })
  const folder = join(fixture.folder, 'green')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'quokka.test.js'), testOf('nothing is doubled', 0))
  const own = ['--edit', folder, '--criterion', 'C1', '--test', 'nothing is doubled']
  expect((await fixture.drydock('acceptance', run, ...own)).exitCode).toBe(0)
  const done = await approved(run)
  expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
  const { stdout } = await fixture.drydock('acceptance', run)
  expect(stdout).toContain('C1 untested')
  expect(stdout).toContain('problem: "nothing is doubled" is of new behaviour, and passes on the base')
})

test('the same change is verified again once a person has decided about the tests that failed it', async () => {
  const { run } = await planned({
    ...authors('a quokka is doubled', testOf('a quokka is doubled', 9137, 73)),
    'editor/task/CODING': [honest, change()],
  })
  await fixture.drydock('acceptance', run, '--confirm', 'C1')
  const stopped = await approved(run)
  expect(verdicts(stopped)).toEqual(['FAIL'])
  await fixture.drydock('acceptance', run, '--drop', 'C1')
  const model = await fixture.replay({ 'editor/task/CODING': [honest, change(), change('The same')] })
  const done = await fixture.drydock('resume', run, '--json', '--no-wait', '--model', model)
  expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
  expect(verdicts(done)).toEqual(['PASS'])
})

test('the word of a person counts more than that of an architect who looks at the same test meanwhile', async () => {
  const lanes = {
    ...authors('a quokka is doubled', testOf('a quokka is doubled', 9137, 73)),
    'editor/task/CODING': [honest, change(), change('It is right')],
  }
  const { run } = await planned(lanes)
  const stopped = await approved(run)
  expect(stopped.events.findLast(({ type }) => type === 'state')?.to).toBe('ACCEPTANCE_REVIEW')
  expect((await fixture.drydock('acceptance', run)).stdout).toContain('C1 disputed: ')
  expect((await fixture.drydock('acceptance', run, '--drop', 'C1')).exitCode).toBe(0)
  const judge = judgement({ id: 'C1', decision: 'stands', reason: 'It is not met.' })
  const model = await fixture.replay({ ...lanes, 'architect/REQUEST/acceptance/task/1': [judge] })
  const done = await fixture.drydock('resume', run, '--json', '--no-wait', '--model', model)
  expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
  expect((await fixture.drydock('acceptance', run)).stdout).toContain('(dropped by the user)')
})
