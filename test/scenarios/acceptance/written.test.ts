import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { memoryNode } from '../../world/node.ts'
import {
  criterion,
  doubling,
  hiddenTests,
  honest,
  judgement,
  onlyTwo,
  quoted,
  testOf,
  write,
  written,
} from '../world/acceptance.ts'
import { call, change, plan, resultOf } from '../world/fixture.ts'

const added = write('double.js', 'export const double = (n) => n + n\n')
const settled = { remarks: [{ id: 'F-1', settled: true, reply: 'Done.' }] }

/** Different code with the same behaviour. */
const stillOnlyTwo = write('double.js', 'export const double = (n) => (n === 2 ? 2 + 2 : 0)\n')

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture({ programs: { node: memoryNode }, ...doubling })
})
afterAll(() => fixture.remove())

const start = async (replay: Parameters<Fixture['replay']>[0]) => {
  const model = await fixture.replay(replay)
  return fixture.drydock(
    'task',
    'double numbers',
    '--criterion',
    criterion,
    '--acceptance',
    '--json',
    '--no-wait',
    '--model',
    model,
  )
}

const authors = hiddenTests('task')

const states = ({ events }: { readonly events: readonly { readonly type: string; readonly to?: unknown }[] }) =>
  events.filter(({ type }) => type === 'state').map(({ to }) => to)

/** Every message to the editor, and everything that a person sees of the Run, as one text. */
async function shownOf(run: string): Promise<string> {
  const records = (await fixture.open()).openRecords()
  const lanes = (await records.machines({ kind: 'lane', run })).filter(({ data }) => !data.role.startsWith('architect'))
  const messages = await Promise.all(lanes.map(({ id }) => records.messages(id)))
  const files = await records.contextFiles(run, 'task')
  const rows = await records.verifications(run)
  const chat = await records.chat({ run })
  await records.close()
  return JSON.stringify([messages, files, rows, chat])
}

describe('a task with --acceptance', () => {
  test('is not done by code that is right for the visible tests alone, and no byte of the tests reaches its editor', async () => {
    const done = await start({
      ...authors,
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [onlyTwo, write('double.test.js', testOf('two is doubled', 2)), change(), honest, change()],
      'editor/review-1/PLANNING': [plan()],
      'editor/review-1/CODING': [onlyTwo, change('Shorter', settled), added, change('Shorter', settled)],
    })
    expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
    expect(states(done).slice(-4)).toEqual(['VERIFYING', 'CODING', 'VERIFYING', 'DONE'])
    const run = String(resultOf(done).run)
    const shown = await shownOf(run)
    expect(shown).toContain(`C1: ${criterion}`)
    expect(shown).toContain('double(n: number): number')
    expect(shown + done.stdout).not.toContain('quokka')
    // A follow-up works on the same code, so the same tests apply to it.
    const remarked = await fixture.drydock('review', run, '--comment', 'double.js:1', 'Add instead.', '--json')
    expect(remarked.exitCode, remarked.stderr + remarked.stdout).toBe(0)
    const records = (await fixture.open()).openRecords()
    const followUp = (await records.machines({ kind: 'run' })).at(-1)?.id ?? ''
    const results = (await records.verifications(followUp)).map(({ manifest }) => manifest?.acceptance?.status)
    await records.close()
    expect(results).toEqual(['not_met', 'met'])
    expect((await shownOf(followUp)) + remarked.stdout).not.toContain('quokka')
  })

  test('ends with a question that names the criterion, when its editor never meets it', async () => {
    const done = await start({
      ...authors,
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        onlyTwo,
        change(),
        change('It is right as it is'),
        stillOnlyTwo,
        change('Still right'),
        honest,
        change(),
      ],
      'architect/REQUEST/acceptance/task/1': [
        judgement({ id: 'C1', decision: 'stands', reason: 'Not even a wombat.' }),
      ],
    })
    const run = String(done.events[0]?.run)
    expect(done.exitCode, done.stderr + done.stdout).toBe(6)
    expect(states(done)).toEqual([
      'SETUP',
      'PLANNING',
      'CODING',
      'VERIFYING',
      'CODING',
      'VERIFYING',
      'ACCEPTANCE_REVIEW',
      'CODING',
      'VERIFYING',
      'ESCALATED',
    ])
    const records = (await fixture.open()).openRecords()
    const [asked] = await records.chat({ run, postType: 'escalate' })
    await records.close()
    expect(asked?.content).toContain(`C1: ${criterion}`)
    expect(await shownOf(run)).not.toMatch(/quokka|wombat/)
    const answered = await fixture.drydock('reply', asked?.id ?? '', 'Use arithmetic.', '--json')
    expect(answered.exitCode, answered.stderr).toBe(0)
    const after = await fixture.drydock('resume', run, '--json')
    expect(resultOf(after), after.stderr + after.stdout).toMatchObject({ status: 'DONE' })
  })

  test('takes the change as it is when a person allows it', async () => {
    const done = await start({
      ...authors,
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [onlyTwo, change(), change('It is right as it is'), stillOnlyTwo, change('Still right')],
      'architect/REQUEST/acceptance/task/1': [
        judgement({ id: 'C1', decision: 'stands', reason: 'Not even a wombat.' }),
      ],
    })
    const run = String(done.events[0]?.run)
    const records = (await fixture.open()).openRecords()
    const [asked] = await records.chat({ run, postType: 'escalate' })
    await records.close()
    await fixture.drydock('reply', asked?.id ?? '', 'allow', '--json')
    const after = await fixture.drydock('resume', run, '--json')
    expect(resultOf(after), after.stderr + after.stdout).toMatchObject({ status: 'DONE' })
  })

  test('is done without a human where the tests are wrong: one is mended, one dropped', async () => {
    const second = 'double(n) of a text is NaN'
    const model = await fixture.replay({
      'architect/ACCEPTANCE/task': [
        written({
          files: [
            { path: 'quokka.test.js', content: testOf('a quokka is doubled', 37, 73) },
            { path: 'numbat.test.js', content: testOf('a numbat is doubled', 41, 81) },
          ],
          criteria: [
            { id: 'C1', tests: ['a quokka is doubled'], behaviour: 'new' },
            { id: 'C2', tests: ['a numbat is doubled'], behaviour: 'new' },
          ],
        }),
      ],
      'architect/ACCEPTANCE_QUOTES/task/1': [quoted(criterion, 'a quokka is doubled', 'a numbat is doubled')],
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [honest, change(), change('Every number is doubled')],
      'architect/REQUEST/acceptance/task/1': [
        call('submit_judgement', {
          criteria: [
            { id: 'C1', decision: 'mended', reason: '37 is doubled to 74.', tests: ['a quokka is doubled'] },
            { id: 'C2', decision: 'dropped', reason: 'Nothing says so.' },
          ],
          files: [{ path: 'quokka.test.js', content: testOf('a quokka is doubled', 37) }],
        }),
      ],
    })
    const args = ['task', 'double numbers', '--criterion', criterion, '--criterion', second, '--acceptance']
    const done = await fixture.drydock(...args, '--json', '--no-wait', '--model', model)
    expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
    expect(states(done).slice(-4)).toEqual(['VERIFYING', 'ACCEPTANCE_REVIEW', 'VERIFYING', 'DONE'])
    const told = done.events.filter(({ type }) => type === 'acceptance').at(-1)
    expect(told).toMatchObject({ state: 'READY', criteria: [{ state: 'tested' }, { state: 'dropped' }] })
  })

  test.each([
    ['its author is not there', {}],
    [
      'a test has no words that demand it',
      {
        'architect/ACCEPTANCE/task': [1, 2, 3].flatMap(() => authors['architect/ACCEPTANCE/task'] ?? []),
        ...Object.fromEntries(
          [1, 2, 3].map((n) => [
            `architect/ACCEPTANCE_QUOTES/task/${n}`,
            [call('submit_quotes', { tests: [{ test: 'a quokka is doubled', quotes: [] }] })],
          ]),
        ),
      },
    ],
  ])('builds without tests where %s', async (_what, replay) => {
    const done = await start({
      ...replay,
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [honest, change()],
    })
    expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
    const told = done.events.filter(({ type }) => type === 'acceptance').at(-1)
    expect(told).toMatchObject({ state: 'READY', criteria: [{ id: 'C1', state: 'untested' }] })
  })
})
