import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { retryWork } from '../../src/app/operations/act/retry.ts'
import { findWork } from '../../src/app/views/find/find-work.ts'
import { createRecordedHuman } from '../../src/app/wait/recorded-human.ts'
import { limits } from '../../src/domain/limits.ts'
import type { MergeData } from '../../src/domain/merge/merge.ts'
import type { Run } from '../../src/domain/run/run.ts'
import { type CrewWorld, createCrewWorld, planned, specText } from './crew-world.ts'

const run = 'durations-0a1b2c'
const stories = [planned('parser'), planned('printer', { depends_on: ['parser'] }), planned('docs')]

let world: CrewWorld

beforeEach(async () => {
  world = await createCrewWorld()
})

afterEach(() => world.remove())

const drydock = (...args: string[]) => world.fixture.drydock(...args)

/** The stored commands, which no process applies. */
const stored = async () => (await world.store.pendingCommands()).map(({ command }) => command)

/**
 * The parser is stuck and asks a human, after its code was sent back once; the printer waits for
 * the answer to a review.
 */
async function midway(): Promise<{ readonly stuck: string; readonly review: string }> {
  await world.addRun(run, 'MONITORING', { stories, branch: 'drydock/durations', base: 'c0ffee', tip: 'c0ffee' })
  const stuck = await world.ask(
    run,
    'parser',
    'Story parser ended STUCK. Reply `retry`, `skip` or `stop`.\n\nTried: 1 plan',
  )
  const review = await world.ask(run, 'printer', 'Round half up?')
  await world.addStory(run, planned('parser'), 'STUCK', {
    escalation: stuck,
    planning: 1,
    stop: { reason: 'hard_stop' },
  })
  const slot = 'coder-002'
  await world.addStory(run, planned('printer'), 'ESCALATED', {
    planning: 1,
    slot,
    failures: { consecutive: 1, loops: 2 },
  })
  await world.addStory(run, planned('docs'), 'QUEUED')
  await world.addRequest(run, 'parser', { verdict: 'NEEDS_CHANGES' }, 'ANSWERED')
  await world.addRequest(run, 'parser', { kind: 'question' }, 'ANSWERED')
  await world.addRequest(run, 'printer', { escalation: review }, 'ESCALATED')
  return { stuck, review }
}

describe('status', () => {
  test('of a run first shows its questions, then the states of its stories', async () => {
    const { stuck, review } = await midway()
    const { stdout } = await drydock('status', run)
    expect(stdout.indexOf(`drydock reply ${stuck} "…"`)).toBeLessThan(stdout.indexOf('STORY'))
    expect(stdout).toContain(`ASKS YOU printer: Round half up?\n\n  drydock reply ${review} "…"`)
    expect(stdout.split('\n').slice(-7)).toEqual([
      'STORY    STATE      SLOT       ATTEMPT  REVIEWS  TOKENS  COST  TITLE',
      'parser   STUCK                    1/12        1       0    $0  Make the parser',
      'printer  ESCALATED  coder-002     3/12        1       0    $0  Make the printer',
      'docs     QUEUED                               0       0    $0  Make the docs',
      '',
      'printer: 2 of 12 failed verifications',
      '',
    ])
  })

  test('as JSON has the same', async () => {
    const { stuck, review } = await midway()
    const [line] = (await drydock('status', run, '--json')).events
    expect(line).toMatchObject({
      type: 'status',
      run,
      kind: 'spec',
      state: 'WAITS_FOR_YOU',
      story: null,
      title: 'Durations',
      outcome: { code: 'WAITS_FOR_YOU', sentence: 'It waits for your answer.', tone: 'waiting' },
      crew: { architect: 'ESCALATED', done: 0, stories: 3, escalations: [stuck, review] },
      stories: [
        { id: 'parser', state: 'STUCK' },
        { id: 'printer', slot: 'coder-002' },
        { id: 'docs', attempt: null },
      ],
      escalations: [
        { id: stuck, story: 'parser', question: 'Story parser ended STUCK. Reply `retry`, `skip` or `stop`.' },
        { id: review, story: 'printer', question: 'Round half up?' },
      ],
    })
  })

  test('no longer asks answered questions, or those of a finished run', async () => {
    await world.addRun(run, 'MONITORING', { stories })
    const answered = await world.ask(run, 'docs', 'In English?')
    await world.addRequest(run, 'docs', { escalation: answered }, 'ANSWERED')
    const skipped = await world.ask(run, 'parser', 'Retry?')
    await world.addStory(run, planned('parser'), 'CANCELLED', { escalation: skipped })
    const [line] = (await drydock('status', run, '--json')).events
    expect(line).toMatchObject({ escalations: [], crew: { escalations: [], architect: 'MONITORING' } })
    await world.addRun('ended', 'CANCELLED')
    const late = await world.ask('ended', 'parser', 'Retry?')
    await world.addStory('ended', planned('parser'), 'STUCK', { escalation: late })
    expect((await drydock('chat', 'ended', '--json')).events).toMatchObject([{ id: late, open: false }])
    expect((await drydock('chat', 'ended')).stdout).toMatch(/ {2}ended\n/)
  })

  test('of all runs counts finished stories, and names waiting messages', async () => {
    const { stuck, review } = await midway()
    const { stdout } = await drydock('status')
    expect(stdout).toMatch(/^durations-0a1b2c +WAITS_FOR_YOU 0\/3 +0 +\$0 {2}Durations$/m)
    expect(stdout).toContain(`Waiting for you: message ${stuck}, ${review}. Read:  drydock chat`)
  })
})

test('a spec that is built shows its result, and no dashboard that would be gone at once', async () => {
  await world.addRun(run, 'DONE', { branch: 'drydock/durations' })
  const result = {
    status: 'DONE',
    kind: 'spec',
    branch: 'drydock/durations',
    base: 'c0ffee',
    stories: [],
    tokens: 0,
  } as const
  await world.store.transact((tx) =>
    tx.appendEvent({ run, story: null, type: 'result', data: { ...result, cost_usd: 0 } }),
  )
  const spec = join(world.fixture.folder, 'spec.md')
  await writeFile(spec, specText)
  const again = await drydock('run', spec)
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('is already built') })
  expect(again.stderr).not.toContain('Dashboard:')
})

describe('status of all runs', () => {
  test('has what is unfinished and the last ten that ended, and says how many more there are', async () => {
    const ended = Array.from({ length: 12 }, (_, n) => `ended-${String(n).padStart(2, '0')}`)
    await world.addRun(run, 'MONITORING')
    for (const id of ended) await world.addRun(id, 'DONE')
    const shown = await drydock('status', '--json')
    expect(shown.events.map((line) => line.run)).toEqual([run, ...ended.slice(2)])
    expect(shown.events[0]).toMatchObject({ runs_left_out: 2 })
    expect((await drydock('status')).stderr).toContain('2 more runs ended earlier. See all:  drydock status --all')
    const all = await drydock('status', '--all', '--json')
    expect(all.events.map((line) => line.run)).toEqual([run, ...ended])
    expect(all.stderr).toBe('')
    expect(await drydock('status', run, '--all')).toMatchObject({ exitCode: 2 })
  })
})

describe('chat', () => {
  test('shows answers below their questions, and which ones are open', async () => {
    const { stuck, review } = await midway()
    await world.answer(run, review, 'To even.')
    const { stdout } = await drydock('chat')
    const shown = stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'then').split('\n')
    expect(shown).toEqual([
      `#${stuck}  architect  parser  then  OPEN`,
      '│ Story parser ended STUCK. Reply `retry`, `skip` or `stop`.',
      '│',
      '│ Tried: 1 plan',
      '',
      `#${review}  architect  printer  then  OPEN`,
      '│ Round half up?',
      '',
      '  #3  human  printer  then',
      '  │ To even.',
      '',
    ])
  })

  test('of one story has only its thread, also as JSON', async () => {
    const { review } = await midway()
    const message = { type: 'message', id: review, story: 'printer', post_type: 'escalate', open: true }
    for (const args of [[`${run}/printer`], ['printer'], ['--story', 'printer']]) {
      expect((await drydock('chat', ...args, '--json')).events).toMatchObject([message])
    }
    expect(await drydock('chat', '--story', 'lexer')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Its stories are: parser, printer, docs'),
    })
  })

  test('records what a human says to a run or to a story, as far as a message can be', async () => {
    await midway()
    const said = await drydock('chat', '--post', 'Mind the leap seconds.')
    expect(said).toMatchObject({ exitCode: 0, stdout: 'Recorded. Continue with: drydock resume\n' })
    await drydock('chat', run, '--story', 'docs', '--post', 'Short, please.')
    expect(await stored()).toEqual([
      { kind: 'post', run, story: null, text: 'Mind the leap seconds.' },
      { kind: 'post', run, story: 'docs', text: 'Short, please.' },
    ])
    const long = 'x'.repeat(limits.chatChars + 1)
    for (const text of [long, ' ']) expect((await drydock('chat', '--post', text)).exitCode).toBe(2)
    await world.addRun('ended', 'DONE')
    expect((await drydock('chat', 'ended', '--post', 'Too late')).exitCode).toBe(2)
    expect(await stored()).toHaveLength(2)
  })
})

test('passes on a message that is posted while a process works', async () => {
  await world.addRun(run, 'ERROR', { stories: [] })
  const failures: unknown[] = []
  const owner = await (await world.fixture.open()).own({ coders: 1, onFailure: (error) => void failures.push(error) })
  try {
    expect(await drydock('chat', '--post', 'Well done.')).toMatchObject({ exitCode: 0, stdout: 'Handed over.\n' })
    expect(await stored()).toEqual([])
  } finally {
    await owner?.stop({ drain: true })
  }
  expect(failures).toEqual([])
})

describe('reply', () => {
  test('records the answer while no process runs, and says how to continue', async () => {
    const { review } = await midway()
    const done = await drydock('reply', review, 'To', 'even.', '--json')
    expect(done).toMatchObject({ exitCode: 0, events: [{ type: 'reply', message: review, run }] })
    expect(done.stderr).toBe('Recorded. Continue with: drydock resume\n')
    expect(await stored()).toEqual([{ kind: 'reply', run, message: review, text: 'To even.' }])
    expect(await drydock('reply', review, 'Up.')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`Message ${review} already has an answer.`),
    })
  })

  test('is refused where nobody asks', async () => {
    const { review } = await midway()
    const over = await world.ask(run, 'docs', 'In English?')
    await world.answer(run, review, 'To even.')
    const said = String(Number(over) + 1)
    await world.addRun('ended', 'CANCELLED')
    const late = await world.ask('ended', null, 'Anybody?')
    const cases = {
      [over]: /already has an answer/,
      [said]: /a human wrote it/,
      [late]: /has ended/,
      none: /no message none/,
    }
    for (const [id, words] of Object.entries(cases)) {
      expect(await drydock('reply', id, 'Yes'), id).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(words) })
    }
    expect(await stored()).toEqual([])
  })
})

describe('retry', () => {
  test('of a whole spec names the stories that can be retried', async () => {
    await midway()
    expect(await drydock('retry', run)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`You can retry: drydock retry ${run}/parser\n`),
    })
  })

  test('of a stuck story answers its question, with the guidance', async () => {
    const { stuck } = await midway()
    const work = await findWork(world.store, 'parser')
    const reply = { kind: 'reply', run, message: stuck }
    expect(await retryWork(world.store, work, { guidance: ' Look at the log. ', models: null })).toEqual({
      ...reply,
      text: 'retry Look at the log.',
    })
    expect(await retryWork(world.store, work, { guidance: null, models: null })).toEqual({ ...reply, text: 'retry' })
    const long = 'x'.repeat(limits.chatChars - 'retry'.length)
    await expect(retryWork(world.store, work, { guidance: long, models: null })).rejects.toMatchObject({
      code: 'bad_usage',
    })
  })

  test('of a story that is not stuck says so', async () => {
    await midway()
    expect(await drydock('retry', `${run}/docs`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${run}/docs cannot be retried: it is QUEUED.`),
    })
  })
})

describe('diff', () => {
  test('of a spec shows the merged changes, and of a story its own', async () => {
    const { git, write } = world.fixture
    const base = await git('rev-parse', 'HEAD')
    const commits: string[] = []
    for (const content of ['merged\n', 'on the way\n']) {
      await write({ 'value.txt': content })
      await git('commit', '-qam', 'more')
      commits.push(await git('rev-parse', 'HEAD'))
    }
    const [tip = '', sha = ''] = commits
    const { workTrees, userRepository } = await world.fixture.open()
    await workTrees.initialize([])
    await userRepository.updateMirror(new AbortController().signal)
    await world.addRun(run, 'MONITORING', { stories: [planned('parser')], base, tip })
    await world.addStory(run, planned('parser'), 'CODING', { base: tip, snapshot: { sha, tree: sha } })
    await world.addRun('later', 'SCOPING')
    expect((await drydock('diff', run)).stdout).toContain('-old\n+merged')
    const line = { type: 'diff', run, story: 'parser', base: tip, sha }
    expect((await drydock('diff', `${run}/parser`, '--json')).events).toMatchObject([line])
    // A story name without a Run refers to the latest spec.
    expect(await drydock('diff', 'parser')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/no run "parser"/),
    })
    expect(await drydock('diff')).toMatchObject({ exitCode: 0, stderr: 'Nothing has changed so far.\n' })
  })
})

test('log of a story has what happened to it, and not to the others', async () => {
  await midway()
  await world.store.transact(async (tx) => {
    for (const story of ['parser', 'printer']) {
      await tx.appendEvent({
        run,
        story,
        type: 'review',
        data: { kind: 'plan', round: 1, verdict: 'APPROVED', open: 0, findings: [] },
      })
    }
  })
  expect((await drydock('log', 'printer')).stdout).toMatch(/^\S+ +0:00 {2}printer APPROVED plan review 1\n$/)
  expect((await drydock('log', `${run}/parser`, '--json')).events).toMatchObject([{ type: 'review', story: 'parser' }])
  expect((await drydock('log', run, '--json')).events).toHaveLength(3)
})

test('cancel takes a whole run, and never for a story of it', async () => {
  await midway()
  expect(await drydock('cancel', `${run}/docs`)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`drydock cancel ${run}\n`),
  })
  expect(await stored()).toEqual([])
})

test('--no-wait ends with exit code 6 and the questions, once everything waits for a human', async () => {
  const { stuck, review } = await midway()
  const watched = await drydock('watch', '--no-wait')
  expect(watched).toMatchObject({ exitCode: 6, stdout: '' })
  for (const id of [stuck, review]) expect(watched.stderr).toContain(`drydock reply ${id} "…"`)
  expect(watched.stderr.trimEnd().split('\n').slice(-2)).toEqual([
    'Outcome:   WAITS_FOR_YOU. It waits for your answer.',
    'Answer as shown above, then continue with: drydock resume',
  ])
  const asked = { id: review, run, story: 'printer', question: 'Round half up?', assigned_to: null }
  const { events, exitCode } = await drydock('watch', '--no-wait', '--json')
  expect(exitCode).toBe(6)
  expect(events.at(-1)).toEqual({ type: 'waiting', escalations: [expect.objectContaining({ id: stuck }), asked] })
})

test('report is Markdown of the run, its stories and its questions', async () => {
  const { review } = await midway()
  await world.answer(run, review, 'To even.')
  const { stdout } = await drydock('report')
  expect(stdout).toBe(`# Durations

- Run: durations-0a1b2c
- State: WAITS_FOR_YOU. It waits for your answer.
- Branch: drydock/durations at c0ffee
- Base: c0ffee
- Stories: 0 of 3 done
- Tokens: 0
- Cost: $0

## Not built

- parser: STUCK, the verifier failed 12 times without a PASS of the whole change

## Stories

### parser: Make the parser

- State: STUCK
- Verifications: none
- Reviews: code 1 NEEDS_CHANGES
- Questions to the architect: 1
- Tokens: 0
- Cost: $0

The parser must work.

- the parser works

### printer: Make the printer

- State: ESCALATED
- Verifications: none
- Reviews: code 1 ESCALATED
- Used of its bounds: 2 of 12 failed verifications
- Tokens: 0
- Cost: $0

The printer must work.

- the printer works

after parser

### docs: Make the docs

- State: QUEUED
- Verifications: none
- Reviews: none
- Tokens: 0
- Cost: $0

The docs must work.

- the docs works

## Cost

Nothing yet.

## Questions to a human

1 (parser): Story parser ended STUCK. Reply \`retry\`, \`skip\` or \`stop\`.

Not answered yet.

2 (printer): Round half up?

> To even.

`)
})

test('report of a story that is done has what it does, and the findings that stay', async () => {
  await world.addRun(run, 'DONE', { stories: [planned('parser')], branch: 'drydock/durations', tip: 'beef' })
  const finding = { severity: 'minor', file: 'a.ts', line: 3, claim: 'a name', evidence: '', round: 1 } as const
  const findings = [
    { ...finding, id: 'C1', state: 'open' },
    { ...finding, id: 'C2', state: 'closed' },
  ] as const
  const nothing = { returned: 0, findings: [], sha: null }
  await world.addStory(run, planned('parser'), 'DONE', {
    attempts: [{ runId: 'run_20261103_100000_abcdef', status: 'PASS', sha: 'beef' }],
    reviews: { plan: nothing, code: { ...nothing, findings }, completion: nothing },
    summary: {
      text: 'It parses.\n\n## Files\n- a.ts (added)',
      files: ['a.ts'],
      outsidePlan: [],
      tests: [],
    },
  })
  const attempt = { tip: 'c0ffee', runId: 'run_20261103_110000_abcdef', at: '2026-11-03T11:00:00.000Z' }
  const merge: MergeData = { name: 'parser', candidate: 'beef', reviewer: 'architect', attempt, commit: 'beef' }
  await world.store.transact(async (tx) => {
    const id = `${run}/merge/parser/1`
    await tx.insertMachine({ id, kind: 'merge', run, story: 'parser', state: 'MERGED', data: merge })
  })
  const { stdout } = await drydock('report')
  expect(stdout).toContain(`- Verifications: run_20261103_100000_abcdef PASS
- Reviews: none
- Merged: beef, verified by run_20261103_110000_abcdef
- Tokens: 0
- Cost: $0

It parses.

Files: a.ts

Remaining findings:

- C1 (minor, open) a.ts:3: a name

## Cost

Nothing yet.

## Questions to a human

None.`)
  expect((await drydock('report', `${run}/parser`)).stdout).toContain(
    '\n## Summary\n\nIt parses.\n\n## Files\n- a.ts (added)\n',
  )
})

describe('the same spec', () => {
  test('that is done is repeated, and --again starts it again', async () => {
    await world.addRun(run, 'DONE', { stories: [] })
    const result = {
      status: 'DONE',
      kind: 'spec',
      branch: 'drydock/durations',
      base: 'c0ffee',
      stories: [],
      tokens: 7,
      cost_usd: 0,
    } as const
    await world.store.transact((tx) => tx.appendEvent({ run, story: null, type: 'result', data: result }))
    const file = join(world.fixture.folder, 'spec.md')
    await writeFile(file, specText)
    const done = await drydock('run', file)
    expect(done).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('--again starts over') })
    expect(done.stdout).toContain('Branch:    drydock/durations')
    // A fresh start needs a model, which is not configured.
    expect((await drydock('run', file, '--again', '--json')).events).toMatchObject([{ code: 'no_model' }])
    expect((await drydock('plan', file, '--json')).events).toMatchObject([{ code: 'no_model' }])
    const plan = join(world.fixture.folder, 'plan.json')
    await writeFile(plan, JSON.stringify(stories))
    expect((await drydock('run', file, '--plan', plan, '--json')).events).toMatchObject([{ code: 'no_model' }])
    await writeFile(file, `${specText}More.\n`)
    expect((await drydock('run', file, '--json')).events).toMatchObject([{ code: 'no_model' }])
    expect(await stored()).toEqual([])
  })

  test('that was cancelled starts again, and the command that continues its stories is named', async () => {
    await world.addRun(run, 'CANCELLED', { stories, stopped: true })
    const file = join(world.fixture.folder, 'spec.md')
    await writeFile(file, specText)
    expect((await drydock('run', file)).stderr).not.toContain('cancelled')
    await world.addStory(run, planned('parser'), 'CANCELLED')
    const anew = await drydock('run', file)
    expect(anew.stderr).toContain(`To go on with its work: drydock retry ${run}`)
    // A fresh start needs a model, which is not configured.
    expect(anew.stderr).toContain('No model is configured')
  })

  test('that was planned is shown again, and written where its stories can be edited', async () => {
    const spec = { text: specText, source: 'spec.md' }
    const request = { kind: 'spec', spec, planOnly: true, reviewStories: false, stories: null } as const
    await world.addRun(run, 'DONE', { request })
    const result = {
      status: 'DONE',
      kind: 'spec',
      branch: null,
      base: null,
      stories: [],
      tokens: 7,
      cost_usd: 0,
    } as const
    const answer = stories
      .slice(0, 2)
      .map((story) => ({ ...story, acceptance_criteria: [...story.acceptance_criteria] }))
    const data = { ...result, answer: JSON.parse(JSON.stringify(answer)) }
    await world.store.transact((tx) => tx.appendEvent({ run, story: null, type: 'result', data }))
    const file = join(world.fixture.folder, 'spec.md')
    await writeFile(file, specText)
    const output = join(world.fixture.folder, 'plan.json')
    const done = await drydock('plan', file, '--output', output)
    expect(done.stdout).toBe(`
parser: Make the parser
The parser must work.
- the parser works

printer: Make the printer
The printer must work.
- the printer works
after parser
`)
    expect(done.stderr).toContain(`Build them:    drydock plan build --from ${output}`)
    // The spelling of 0.9 still works, and names the new one.
    const old = await drydock('run', file, '--plan', output, '--json')
    expect(old.events).toMatchObject([{ code: 'no_model' }])
    expect(old.stderr).toContain(`Write instead:  drydock plan build --from ${output}`)
  })
})

describe('a recorded human', () => {
  async function record(human: readonly object[]): Promise<Run> {
    const file = join(world.fixture.folder, 'human.json')
    const models = { architect: `replay:${file}`, editor: 'replay:none', scout: 'replay:none' }
    await writeFile(file, JSON.stringify({ version: 1, lanes: {}, human }))
    await world.addRun(run, 'MONITORING', { models })
    return (await world.store.machine(run)) as Run
  }

  test('answers the escalation with its number in the run, once, also when asked by several processes', async () => {
    await record([{ escalation: 2, reply: 'To even.' }])
    const first = await world.ask(run, 'parser', 'First?')
    const second = await world.ask(run, 'printer', 'Second?')
    await world.addStory(run, planned('parser'), 'ESCALATED', { escalation: first })
    await world.addStory(run, planned('printer'), 'ESCALATED', { escalation: second })
    const open = await world.fixture.open()
    const records = open.openRecords()
    const failures: unknown[] = []
    const onFailure = (error: unknown) => void failures.push(error)
    const processes = [1, 2].map(() => createRecordedHuman(open, { records, delayMs: 0, onFailure }))
    for (const human of processes) {
      await human.look([run])
      await human.look([run])
      expect((await human.unanswered(run)).map(({ message }) => message.id)).toEqual([first])
    }
    for (const human of processes) await human.end()
    expect(await world.store.pendingCommands()).toEqual([
      { key: `recorded/${second}`, command: { kind: 'reply', run, message: second, text: 'To even.' } },
    ])
    await records.close()
    expect(failures).toEqual([])
  })

  test('who has not answered yet when it ends, does not', async () => {
    await record([{ escalation: 1, reply: 'Yes.' }])
    const asked = await world.ask(run, null, 'Go on?')
    await world.addStory(run, planned('parser'), 'ESCALATED', { escalation: asked })
    const open = await world.fixture.open()
    const records = open.openRecords()
    const onFailure = (error: unknown) => expect(error).toBeNull()
    const human = createRecordedHuman(open, { records, delayMs: 60_000, onFailure })
    await human.look([run])
    await human.end()
    await records.close()
    expect(await stored()).toEqual([])
  })
})
