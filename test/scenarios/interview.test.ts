import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { createCrewFixture, type Fixture } from '../world/fixture.ts'
import { conversationOf } from './world/conversation.ts'
import { reply } from './world/crew.ts'
import { type CommandResult, call, resultOf } from './world/fixture.ts'
import { configureUser, startHook } from './world/hook.ts'
import { ask, lane, openQuestions, question, spec, specFile, text } from './world/interview.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** Starts an interview whose architect has these turns. */
async function interview(turns: readonly object[], ...flags: readonly string[]): Promise<CommandResult> {
  fixture = await createCrewFixture()
  const model = await fixture.replay({ [lane]: turns })
  return fixture.drydock('spec', 'say new', '-o', specFile(fixture), '--model', model, '--json', '--no-ui', ...flags)
}

const resume = () => fixture.drydock('resume', '--json')
const runOf = ({ events }: CommandResult) => String(events.find(({ run }) => run !== undefined)?.run)

test('an interview reads the repository, asks a round of questions that are answered one by one, and ends with a spec in a file', async () => {
  const asked = await interview([
    call('read_file', { path: 'value.txt' }),
    ask(question('Which value?'), question('Which case?')),
    spec(),
  ])
  expect(asked.exitCode, asked.stdout + asked.stderr).toBe(6)
  const run = runOf(asked)
  const [first = '', second = ''] = await openQuestions(fixture, run)
  expect(asked.events.findLast(({ type }) => type === 'waiting')).toEqual({
    type: 'waiting',
    escalations: [
      {
        id: first,
        run,
        story: null,
        question: 'Which value?',
        assigned_to: null,
        options: ['Which value? One way.', 'Which value? Another way.'],
        recommended: 2,
      },
      expect.objectContaining({ id: second, question: 'Which case?' }),
    ],
  })
  expect(asked.stderr).toContain(`drydock reply ${first} "…"`)
  expect(asked.stderr).toContain('2. Which value? Another way. (recommended)')

  expect((await fixture.drydock('reply', second, 'Lower case,', 'please')).exitCode).toBe(0)
  expect((await resume()).exitCode).toBe(6)
  expect(await openQuestions(fixture, run)).toEqual([first])
  const status = await fixture.drydock('status', run)
  expect(status.stdout).toContain('ASKS YOU Which value?')
  expect(status.stdout).not.toContain('ASKS YOU Which case?')
  const again = await fixture.drydock('reply', second, 'Upper case')
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('already has an answer')])

  await fixture.drydock('reply', first, '1')
  const done = await resume()
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({
    kind: 'interview',
    status: 'DONE',
    branch: null,
    answer: { title: 'Say new', text },
    outcome: { code: 'DONE', sentence: 'The spec is written.' },
  })
  expect(done.exitCode).toBe(0)
  expect(await readFile(specFile(fixture), 'utf8')).toBe(text)
  expect(done.stderr).toContain(`drydock run ${specFile(fixture)}`)

  const [, answers] = await conversationOf(fixture, asked).results(lane)
  expect(answers?.output).toContain('1. Which value? One way.\n2. Lower case, please')
  expect(answers?.output).toContain(`You may ask ${limits.interview.rounds - 1} times more.`)
  const report = await fixture.drydock('report', run)
  expect(report.stdout).toContain('> Which value? One way.')
  expect(report.stdout).toContain('> Lower case, please')
  expect(report.stdout).toContain('## Non-goals')
  expect((await fixture.drydock('log', run)).stdout).toContain('ask_user')
  expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
})

test('an unfinished interview continues only with its original terms', async () => {
  const asked = await interview([ask(question('Which value?')), spec()])
  const model = await fixture.replay({ [lane]: [ask(question('Which value?')), spec()] })
  const again = (...flags: string[]) =>
    fixture.drydock('spec', 'say new', '--model', model, '--json', '--no-ui', ...flags)
  for (const flag of ['--budget-usd', '--config']) {
    const refused = await again(flag, '3')
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`started with other ${flag}.`)])
  }
  await fixture.git('branch', 'other')
  const elsewhere = await again('--target', 'other')
  expect(elsewhere.exitCode, elsewhere.stderr).toBe(6)
  expect(runOf(elsewhere)).not.toBe(runOf(asked))
})

test('a number without an option is not an answer, and d leaves the decision to the architect', async () => {
  const asked = await interview([ask(question('Which value?')), spec()])
  const [id = ''] = await openQuestions(fixture, runOf(asked))
  const refused = await fixture.drydock('reply', id, '9')
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('There is no option 9.')])
  expect(refused.stderr).toContain('Name 1 to 2, or answer in words.')
  expect(await openQuestions(fixture, runOf(asked))).toEqual([id])
  await fixture.drydock('reply', id, 'd')
  expect((await resume()).exitCode).toBe(0)
  expect((await conversationOf(fixture, asked).results(lane))[0]?.output).toContain('1. you decide')
})

test('the answer to a wrong submission lets the model’s next try succeed', async () => {
  const many = Array.from({ length: 40 }, (_, i) => question(`Question ${i}?`))
  const { non_goals: _, ...partial } = (spec() as { calls: [{ input: { non_goals: unknown } }] }).calls[0].input
  const done = await interview([
    ask(),
    ask(...many),
    ask(question('Which?', { options: ['only one'] })),
    ask(question('Which?', { recommended: 3 })),
    { text: 'Here is the spec: say new.' },
    call('submit_spec', partial),
    call('submit_reply', { response: 'Say new.' }),
    spec(),
  ])
  expect(done.exitCode, done.stdout + done.stderr).toBe(0)
  expect(await readFile(specFile(fixture), 'utf8')).toBe(text)
  const results = await conversationOf(fixture, done).results(lane)
  expect(results.map(({ output }) => output.split('\nIt takes')[0])).toEqual([
    expect.stringMatching(/questions: .*>=1/),
    expect.stringMatching(/questions: .*<=5/),
    expect.stringMatching(/questions\.0\.options: .*>=2/),
    expect.stringContaining('questions.0.recommended: there is no option of that number'),
    expect.stringMatching(/non_goals: /),
    expect.stringContaining('There is no tool `submit_reply`. Use `submit_spec` here. Your tools are:'),
  ])
})

test('after its last round the architect decides what is open', async () => {
  const { rounds } = limits.interview
  fixture = await createCrewFixture()
  const turns = Array.from({ length: rounds + 1 }, (_, i) => ask(question(`Round ${i}?`)))
  const human = Array.from({ length: rounds }, (_, i) => ({ escalation: i + 1, reply: i === 0 ? 'You decide.' : '2' }))
  const model = await fixture.replay({ [lane]: [...turns, spec()] }, { human })
  const done = await fixture.drydock('spec', 'say new', '-o', specFile(fixture), '--model', model, '--json', '--no-ui')
  expect(done.exitCode, done.stdout + done.stderr).toBe(0)
  const results = await conversationOf(fixture, done).results(lane)
  expect(results[0]?.output).toContain('1. you decide')
  expect(results[rounds - 1]?.output).toContain('You cannot ask again')
  expect(results[rounds]).toMatchObject({ ok: false, output: expect.stringContaining('call `submit_spec`') })
})

test('an architect that reads on and on asks for guidance, and continues with it', async () => {
  fixture = await createCrewFixture({ config: { architect: { scoping_soft_limit: 2, scoping_hard_limit: 3 } } })
  const look = (pattern: string) => call('list_files', { pattern })
  const model = await fixture.replay({ [lane]: [look('*.txt'), look('*.md'), spec()] })
  const asked = await fixture.drydock('spec', 'say new', '-o', specFile(fixture), '--model', model, '--json', '--no-ui')
  expect(asked.exitCode, asked.stderr).toBe(6)
  const [id = ''] = await openQuestions(fixture, runOf(asked))
  expect(asked.stderr).toContain('The architect (INTERVIEW) has reached its iteration limit')
  await fixture.drydock('reply', id, 'Write it now')
  expect((await resume()).exitCode).toBe(0)
  expect(await readFile(specFile(fixture), 'utf8')).toBe(text)
})

test('a file that exists is replaced only if the user says so, and a spec that was edited stays', async () => {
  fixture = await createCrewFixture()
  const file = specFile(fixture)
  const model = await fixture.replay({ [lane]: [spec()] })
  const start = (...flags: string[]) =>
    fixture.drydock('spec', 'say new', '-o', file, '--model', model, '--no-ui', ...flags)
  await writeFile(file, 'mine\n')
  const refused = await start()
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('already exists')])
  expect((await fixture.drydock('status', '--json')).events).toEqual([])
  expect((await start('--overwrite')).exitCode).toBe(0)
  expect(await readFile(file, 'utf8')).toBe(text)

  await rm(file)
  expect((await fixture.drydock('spec', '--continue')).exitCode).toBe(0)
  expect(await readFile(file, 'utf8')).toBe(text)

  await writeFile(file, 'edited\n')
  const repeated = await fixture.drydock('spec', '--continue')
  expect([repeated.exitCode, repeated.stderr]).toEqual([0, expect.stringContaining('exists and differs')])
  expect(await readFile(file, 'utf8')).toBe('edited\n')
  const other = `${file}.2`
  expect((await fixture.drydock('spec', '--continue', '-o', other)).exitCode).toBe(0)
  expect(await readFile(other, 'utf8')).toBe(text)
})

test('the example asks its questions about the library beside it, and leads to a spec', async () => {
  fixture = await createCrewFixture({ files: { 'src/units.js': '', 'src/format.js': '', 'test/format.test.js': '' } })
  const example = new URL('../../examples/duration-interview.recording.json', import.meta.url).pathname
  const wish = ['spec', 'durations should understand weeks', '--model', `replay:${example}`]
  const asked = await fixture.drydock(...wish, '-o', specFile(fixture), '--json', '--no-ui')
  for (const id of await openQuestions(fixture, runOf(asked))) await fixture.drydock('reply', id, '1')
  expect((await resume()).exitCode).toBe(0)
  expect(await readFile(specFile(fixture), 'utf8')).toMatch(/^# Durations in weeks\n/)
})

test('a round of questions is reported once', async () => {
  fixture = await createCrewFixture()
  const hook = await startHook()
  await configureUser(fixture, { notify: { webhook: hook.url } })
  const model = await fixture.replay({ [lane]: [ask(question('Which value?'), question('Which case?'))] })
  const asked = await fixture.drydock('spec', 'say new', '-o', specFile(fixture), '--model', model, '--json', '--no-ui')
  expect(asked.exitCode, asked.stderr).toBe(6)
  expect(hook.posts.map(({ notice }) => notice.question)).toEqual(['Which value? (the first of 2 questions)'])
})

test('an interview is cancelled like any run, and its questions wait no more', async () => {
  const asked = await interview([ask(question('Which value?')), spec()])
  const run = runOf(asked)
  const cancelled = await fixture.drydock('cancel', run)
  expect(cancelled.exitCode, cancelled.stderr).toBe(5)
  expect(await openQuestions(fixture, run)).toEqual([])
  expect(await stat(specFile(fixture)).catch(() => null)).toBe(null)
})

test('an interview that has reached its budget is paused, and continues after a raise', async () => {
  fixture = await createCrewFixture({ config: { budget: { run_tokens: 1_000 } } })
  const model = await fixture.replay({ [lane]: [ask(question('Which value?')), spec()] })
  const paused = await fixture.drydock(
    'spec',
    'say new',
    '-o',
    specFile(fixture),
    '--model',
    model,
    '--json',
    '--no-ui',
  )
  expect([paused.exitCode, resultOf(paused)], paused.stderr).toMatchObject([7, { paused_by: 'budget' }])
  await fixture.drydock('budget', '--raise-tokens', '100000')
  const asked = await resume()
  expect(asked.exitCode, asked.stderr).toBe(6)
  expect((await fixture.drydock('report', '--json')).stdout).toContain('"agent":"architect"')
})

test('a spec that is too vague to split ends with what it lacks and with the interview that helps', async () => {
  fixture = await createCrewFixture()
  const vague = call('too_vague', { reason: 'Nobody could tell what is better.', missing: ['What is bad today'] })
  const model = await fixture.replay({ 'architect/SCOPING': [vague, reply('It stays as it is.')], [lane]: [spec()] })
  const file = join(fixture.folder, 'vague.md')
  await writeFile(file, '# Make it better\n')
  const refused = await fixture.drydock('run', file, '--model', model, '--no-ui')
  expect(refused.exitCode, refused.stderr).toBe(3)
  expect(refused.stdout).toContain('TOO_VAGUE')
  expect(refused.stdout).toContain('- What is bad today')
  expect(refused.stdout).toContain(`drydock spec ${file}`)
  expect((await fixture.drydock('report')).stdout).toContain('What is bad today')

  const better = await fixture.drydock('spec', file, '--model', model, '--no-ui')
  expect(better.exitCode, better.stderr).toBe(0)
  expect(await readFile(join(fixture.folder, 'vague-spec.md'), 'utf8')).toBe(text)
  expect(await readFile(file, 'utf8')).toBe('# Make it better\n')

  const asIs = await fixture.drydock('plan', file, '--as-is', '--model', model, '--json')
  const { results } = conversationOf(fixture, asIs)
  expect((await results('architect/SCOPING'))[0]).toMatchObject({
    ok: false,
    output: expect.stringContaining('as it is'),
  })
})
