import { afterEach, describe, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import {
  approve,
  build,
  greenStory,
  needsChanges,
  reject,
  reply,
  specLanes,
  storyPlan,
  submit,
  writeFile,
} from '../world/crew.ts'
import { answer, crewOf, say, stuckTurn } from '../world/crew-conversation.ts'
import { call, resultOf } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const statesOf = (result: Readonly<Record<string, unknown>>) =>
  Object.fromEntries((result.stories as { id: string; state: string }[]).map(({ id, state }) => [id, state]))
const list = (pattern: string) => call('list_files', { pattern })

describe('a story that the architect rejects', () => {
  test('asks the human: a retry restarts it with the guidance, a skip drops it', async () => {
    fixture = await createCrewFixture()
    const stopped = await build(fixture, {
      ...specLanes('again', 'away'),
      ...greenStory('again'),
      ...greenStory('away'),
      'architect/REQUEST/plan/again/1': [reject('It must not be built like this.')],
      'architect/REQUEST/code/away/1': [reject('Nobody needs it.')],
      'editor/again@2/PLANNING': [storyPlan('again')],
      'architect/REQUEST/plan/again@2/1': [approve()],
      'editor/again@2/CODING': [writeFile('again.txt', 'again\n'), submit('again')],
      'architect/REQUEST/code/again@2/1': [approve()],
    })
    expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(6)
    const crew = crewOf(fixture, stopped)
    expect(await crew.path('again')).toBe('SETUP PLANNING PLAN_REVIEW REJECTED')
    expect(await crew.path('away')).toBe('SETUP PLANNING PLAN_REVIEW CODING VERIFYING CODE_REVIEW REJECTED')
    const asked = (await crew.open()).map(({ story, content }) => ({ story, content }))
    expect(asked).toHaveLength(2)
    expect(asked).toContainEqual({
      story: 'again',
      content: expect.stringMatching(
        /ended REJECTED[\s\S]*retry[\s\S]*skip[\s\S]*stop[\s\S]*must not be built like this/,
      ),
    })

    await say(fixture, crew, { story: 'again', text: 'retry: build it differently' })
    const done = await answer(fixture, crew, { story: 'away', text: 'skip' })
    expect(done.exitCode, done.stderr).toBe(3)
    expect(statesOf(resultOf(done))).toEqual({ again: 'DONE', away: 'CANCELLED' })
    const anew = await crew.prompt('editor/again@2/PLANNING')
    expect(anew).toContain('build it differently')
    expect(anew).toContain('It must not be built like this.')
    expect(await fixture.git('log', '--format=%s', 'main..drydock/make-the-files')).toBe('Add again')
  })

  test('also without a change, can stop the whole Run', async () => {
    fixture = await createCrewFixture()
    const stopped = await build(fixture, {
      ...specLanes('idle'),
      ...greenStory('idle'),
      'editor/idle/CODING': [submit('idle')],
      'architect/REQUEST/completion/idle/1': [reject('There must be a change.')],
    })
    const crew = crewOf(fixture, stopped)
    expect(await crew.answers('idle')).toEqual(['plan 1 APPROVED', 'completion 1 REJECTED'])
    const done = await answer(fixture, crew, { story: 'idle', text: 'stop' })
    expect(done.exitCode, done.stderr).toBe(5)
    expect(resultOf(done)).toMatchObject({ status: 'CANCELLED' })
  })
})

test('an editor whose turns are used up goes on as the architect says from the figures, or a human does', async () => {
  fixture = await createCrewFixture({ config: { editor: { planning_iterations: 2, coding_iterations: 2 } } })
  const coding = (id: string) => [list('a'), list('b'), writeFile(`${id}.txt`, `${id}\n`), submit(id)]
  const stopped = await build(fixture, {
    ...specLanes('more', 'other', 'human'),
    ...greenStory('more'),
    ...greenStory('other'),
    ...greenStory('human'),
    'editor/more/CODING': coding('more'),
    'architect/REQUEST/budget/more/1': [call('read_file', { path: 'value.txt' }), approve()],
    'editor/other/CODING': coding('other'),
    'architect/REQUEST/budget/other/1': [needsChanges('Stop looking and write.', [])],
    'editor/human/PLANNING': [list('a'), list('b'), storyPlan('human')],
    'architect/REQUEST/budget/human/1': [reject('I see no progress.')],
  })
  expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(6)
  const crew = crewOf(fixture, stopped)
  for (const [id, words] of [
    ['more', 'Good.'],
    ['other', 'Stop looking and write.'],
  ] as const) {
    expect(await crew.path(id)).toBe(
      'SETUP PLANNING PLAN_REVIEW CODING BUDGET_REVIEW CODING VERIFYING CODE_REVIEW MERGING DONE',
    )
    expect(await crew.messages(`editor/${id}/CODING`)).toContainEqual({
      role: 'user',
      text: expect.stringContaining(words),
    })
    expect(await crew.lane(`editor/${id}/CODING`)).toMatchObject({ turn: 4, iterations: 2 })
  }
  const figures = await crew.prompt('architect/REQUEST/budget/more/1')
  expect(figures).toContain('lane: editor/more/CODING\nturns used: 2 of 2\nstopped because: its turns were used up\n')
  expect(await crew.results('architect/REQUEST/budget/more/1')).toMatchObject([
    { ok: false, output: 'There is no tool `read_file`. Your tools are: submit_reply.' },
  ])

  expect(await crew.path('human')).toBe('SETUP PLANNING BUDGET_REVIEW ESCALATED')
  expect((await crew.open())[0]).toMatchObject({
    story: 'human',
    content: expect.stringMatching(
      /^The editor of human was stopped: its turns were used up \(\d of \d turns used, .*I see no progress\./s,
    ),
  })
  const why =
    /the editor was stopped: its turns were used up \(2 of 2 turns used, \d+ min; the story has cost \$0\.00\)/
  expect((await fixture.drydock('status', `${stopped.events[0]?.run}`)).stdout).toMatch(
    new RegExp(`^human: ${why.source}`, 'm'),
  )
  const report = (await fixture.drydock('report')).stdout
  expect(report).toMatch(/- Editor stopped: its turns were used up \(2 of 2 turns used, .*; budget 1 APPROVED/)
  expect(report).toMatch(/- Editor stopped: its turns were used up .*; budget 1 REJECTED/)
  const done = await answer(fixture, crew, { story: 'human', text: 'Plan what you know.' })
  expect(resultOf(done)).toMatchObject({ status: 'DONE' })
  expect(await crew.path('human')).toMatch(/^SETUP PLANNING BUDGET_REVIEW ESCALATED PLANNING PLAN_REVIEW CODING /)
  expect(await crew.messages('editor/human/PLANNING')).toContainEqual({
    role: 'user',
    text: expect.stringContaining('Plan what you know.'),
  })
})

test('when the rounds are used up one question goes to the human, and another round has the guidance', async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 2 } } })
  const stopped = await build(fixture, {
    ...specLanes('coded', 'planned'),
    ...greenStory('coded'),
    ...greenStory('planned'),
    'editor/coded/CODING': [writeFile('coded.txt', '1\n'), submit('coded'), submit('coded'), submit('coded')],
    'architect/REQUEST/code/coded/1': [needsChanges('First.')],
    'architect/REQUEST/code/coded/2': [needsChanges('Second.')],
    'architect/REQUEST/code/coded/3': [needsChanges('Third.')],
    'architect/REQUEST/code/coded/4': [approve({ accepted: ['c1'] })],
    'editor/planned/PLANNING': [storyPlan('planned'), storyPlan('planned')],
    'architect/REQUEST/plan/planned/1': [needsChanges('First.')],
    'architect/REQUEST/plan/planned/2': [needsChanges('Second.')],
    'architect/REQUEST/plan/planned/3': [approve()],
  })
  expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(6)
  const crew = crewOf(fixture, stopped)
  expect((await crew.open()).map(({ story }) => story).sort()).toEqual(['coded', 'planned'])
  for (const { content } of await crew.open()) expect(content).toMatch(/sent back 2 times[\s\S]*Second\./)

  await say(fixture, crew, { story: 'planned', text: 'Take the plan.' })
  const done = await answer(fixture, crew, { story: 'coded', text: 'One more fix, then take it.' })
  expect(resultOf(done), done.stdout).toMatchObject({ status: 'DONE' })
  expect(await crew.prompt('architect/REQUEST/plan/planned/3')).toContain('Take the plan.')
  expect(await crew.prompt('architect/REQUEST/code/coded/3')).toContain('One more fix, then take it.')
  expect(await crew.prompt('architect/REQUEST/code/coded/2')).not.toContain('One more fix')
  expect(await crew.path('coded')).toBe(
    'SETUP PLANNING PLAN_REVIEW CODING VERIFYING CODE_REVIEW CODING VERIFYING CODE_REVIEW ESCALATED CODE_REVIEW CODING VERIFYING CODE_REVIEW MERGING DONE',
  )
  expect((await crew.chat()).filter(({ post_type }) => post_type === 'escalate')).toHaveLength(2)
})

test('an approval holds for its commit, whatever becomes of the workspace meanwhile', async () => {
  fixture = await createCrewFixture()
  const stopped = await build(fixture, {
    ...specLanes('one'),
    ...greenStory('one', 'approved\n'),
    'architect/REQUEST/code/one/1': [stuckTurn, approve()],
  })
  const crew = crewOf(fixture, stopped)
  await fixture.writeInSlot('coder-001', { 'one.txt': 'sneaked in\n' })
  const done = await answer(fixture, crew, { story: 'one', text: 'Go on.' })
  expect(resultOf(done)).toMatchObject({ status: 'DONE' })
  expect(await fixture.git('show', 'drydock/make-the-files:one.txt')).toBe('approved')
})

test('a question that is escalated holds up nobody else', async () => {
  fixture = await createCrewFixture()
  const stopped = await build(fixture, {
    ...specLanes('asks', 'works'),
    ...greenStory('asks'),
    ...greenStory('works'),
    'editor/asks/PLANNING': [call('ask_architect', { question: 'Why?' }), storyPlan('asks')],
    'architect/REQUEST/question/asks/1': [stuckTurn, reply('Because.')],
  })
  expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(6)
  const crew = crewOf(fixture, stopped)
  expect([(await crew.story('asks')).state, (await crew.story('works')).state]).toEqual(['QUESTION', 'DONE'])
  const done = await answer(fixture, crew, { story: 'asks', text: 'Say why.' })
  expect(resultOf(done)).toMatchObject({ status: 'DONE' })
  expect(await crew.results('editor/asks/PLANNING')).toMatchObject([{ ok: true, output: 'Because.' }])
})
