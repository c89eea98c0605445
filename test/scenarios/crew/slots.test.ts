import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { slotId } from '../../../src/domain/slot/slot.ts'
import type { Story } from '../../../src/domain/story/story.ts'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { conversationOf } from '../world/conversation.ts'
import {
  approve,
  finding,
  greenStory,
  needsChanges,
  reject,
  reply,
  specLanes,
  submit,
  writeFile,
} from '../world/crew.ts'
import {
  answerStory,
  escalations,
  firstMove,
  play,
  replyAndResume,
  statesOf,
  withRecords,
  writeScript,
} from '../world/crew-script.ts'
import { type CommandResult, call, greenLanes, resultOf } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const branch = 'drydock/make-the-files'
const inOneSlot = ['--max-coders', '1'] as const
/** The second request of a review is never sent, since a human is asked first. */
const impatient = { architect: { request_soft_limit: 1, request_hard_limit: 2 } }
const look = call('list_files', { pattern: '*' })
const run = (command: string) => call('run_command', { command })

const slotOf = async ({ id }: { id: string }) =>
  ((await withRecords(fixture, (records) => records.machine(id))) as Story).data.slot

/**
 * `asks` leaves a changed, a new and a moved file in its workspace and asks a question that only a
 * human can answer.
 */
const asking = {
  ...specLanes('asks', 'other'),
  ...greenStory('asks'),
  ...greenStory('other'),
  'editor/asks/CODING': [
    writeFile('asks.txt', 'asks\n'),
    run(
      'echo scratch > untracked.txt; mkdir -p deep; echo d > deep/er.txt; git mv moving.txt moved.txt; chmod +x value.txt',
    ),
    call('ask_architect', { question: 'Which one?' }),
    run('cat asks.txt untracked.txt deep/er.txt moved.txt; ls; test -x value.txt && echo executable'),
    submit('asks'),
  ],
  'architect/REQUEST/question/asks/1': [look, reply('The first one.')],
}

test('a story that waits for a human gives its slot up, and comes back with all that its workspace held', async () => {
  fixture = await createCrewFixture({ config: impatient, files: { 'moving.txt': 'moves\n' } })
  const waiting = await play(fixture, { lanes: asking }, ...inOneSlot)
  expect(waiting.exitCode).toBe(6)
  expect(escalations(waiting)).toEqual([expect.objectContaining({ story: 'asks' })])
  expect(await fixture.git('ls-tree', '--name-only', branch)).toContain('other.txt')
  const crew = conversationOf(fixture, waiting)
  expect(await slotOf({ id: `${crew.run}/asks` })).toBe(null)

  const built = await replyAndResume(fixture, waiting, 'Answer it yourself.')
  expect(statesOf(built)).toEqual({ asks: 'DONE', other: 'DONE' })
  const results = await crew.results('editor/asks/CODING')
  expect(results[2]?.output).toContain('The first one.')
  expect(results[3]?.output).toContain('asks\nscratch\nd\nmoves\n')
  expect(results[3]?.output).toContain('executable')
  expect(results[3]?.output).not.toContain('moving.txt')
  expect(results[3]?.output).not.toContain('other.txt')
  const files = await fixture.git('ls-tree', '-r', '--name-only', branch)
  expect(files.split('\n')).toEqual(
    expect.arrayContaining(['asks.txt', 'untracked.txt', 'deep/er.txt', 'moved.txt', 'other.txt']),
  )
})

test('it comes back in whichever slot is free then, and its reviewer reads that one', async () => {
  fixture = await createCrewFixture({ config: impatient, files: { 'moving.txt': 'moves\n' } })
  const late = (id: string) => ({ id, depends_on: ['short'] })
  const lanes = {
    ...asking,
    ...specLanes('asks', 'short', late('green'), late('holds')),
    ...Object.assign({}, ...['short', 'green', 'holds'].map((id) => greenStory(id))),
    'editor/holds/CODING': [call('ask_architect', { question: 'And I?' })],
    'architect/REQUEST/question/holds/1': [look],
    'architect/REQUEST/code/asks/1': [approve()],
  }
  // `green` takes the slot of `short`, which is merged; `holds` takes that of `asks`, and keeps it.
  const waiting = await play(fixture, { lanes }, '--max-coders', '2')
  expect(escalations(waiting).map(({ story }) => story)).toEqual(['asks', 'holds'])
  const crew = conversationOf(fixture, waiting)
  expect(await slotOf({ id: `${crew.run}/holds` })).toBe('coder-001')
  const more = await answerStory(fixture, 'asks', 'Answer it yourself.')
  expect(more.exitCode).toBe(6)
  expect(await crew.prompt('architect/REQUEST/question/asks/1')).toContain('coder_id: "coder-001"')
  expect(await crew.prompt('architect/REQUEST/code/asks/1')).toContain('coder_id: "coder-002"')
  expect((await crew.results('editor/asks/CODING'))[3]?.output).toContain('asks\nscratch\nd\nmoves\n')
  expect(await fixture.git('ls-tree', '--name-only', branch)).toContain('untracked.txt')
})

test('the editor learns of files that git cannot store before anybody else may get the slot', async () => {
  fixture = await createCrewFixture({ config: impatient })
  const lanes = {
    ...asking,
    'editor/asks/CODING': [
      writeFile('asks.txt', 'asks\n'),
      run('git init -q inner && touch inner/file'),
      call('ask_architect', { question: 'Which one?' }),
      run('rm -rf inner; cat asks.txt'),
      submit('asks'),
    ],
  }
  const built = await play(fixture, { lanes }, ...inOneSlot)
  const results = await conversationOf(fixture, built).results('editor/asks/CODING')
  expect(results[2]).toMatchObject({ ok: false, output: expect.stringContaining('inner') })
  expect(results[3]?.output).toContain('asks')
  expect(statesOf(built)).toEqual({ asks: 'DONE', other: 'DONE' })
})

test('an editor whose turns are spent loses nothing to the one that gets its slot', async () => {
  fixture = await createCrewFixture({ config: { editor: { coding_iterations: 2 } } })
  const lanes = {
    ...specLanes('long', 'other'),
    ...greenStory('long'),
    ...greenStory('other'),
    'editor/long/CODING': [
      writeFile('long.txt', 'long\n'),
      run('git init -q inner && touch inner/file && echo kept > untracked.txt'),
      run('cat long.txt untracked.txt'),
      submit('long'),
    ],
    'architect/REQUEST/budget/long/1': [reject('Too slow.')],
  }
  const waiting = await play(fixture, { lanes }, ...inOneSlot)
  expect(waiting.exitCode).toBe(6)
  const built = await replyAndResume(fixture, waiting, 'Go on.')
  expect(statesOf(built)).toEqual({ long: 'DONE', other: 'DONE' })
  const results = await conversationOf(fixture, built).results('editor/long/CODING')
  expect(results[2]?.output).toContain('long\nkept\n')
})

test('a review of a story without a workspace reads its snapshot, and not the slot’s present files', async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const about = { coder_id: '${coder_id}' }
  const lanes = {
    ...specLanes('held', 'other'),
    ...greenStory('held'),
    ...greenStory('other'),
    'editor/held/CODING': [
      writeFile('held.txt', 'draft\n'),
      submit('held'),
      call('read_file', { path: 'held.txt' }),
      writeFile('held.txt', 'final\n'),
      submit('held'),
    ],
    'architect/REQUEST/code/held/1': [needsChanges('Too short.', [finding({ file: 'held.txt' })])],
    'architect/REQUEST/code/held/2': [
      call('read_file', { ...about, path: 'held.txt' }),
      call('list_files', { ...about, pattern: '*.txt' }),
      call('get_diff', about),
      needsChanges('Still.', [finding({ id: 'c1', file: 'held.txt' })]),
    ],
    'architect/REQUEST/code/held/3': [approve()],
  }
  // A human is asked about the reviewed change after every round.
  const waiting = await play(fixture, { lanes }, ...inOneSlot)
  expect(escalations(waiting)).toHaveLength(1)
  const crew = conversationOf(fixture, waiting)
  const again = await replyAndResume(fixture, waiting, 'Look again.')
  const reads = (await crew.results('architect/REQUEST/code/held/2')).map(({ output }) => output)
  expect(reads[0]).toContain('draft')
  expect(reads[1]).toContain('held.txt')
  expect(reads[1]).not.toContain('other.txt')
  expect(reads[2]).toContain('+draft')
  expect(await crew.prompt('architect/REQUEST/code/held/2')).toContain('Look again.')
  const built = await replyAndResume(fixture, again, 'Take it as it is.')
  expect(statesOf(built)).toEqual({ held: 'DONE', other: 'DONE' })
})

test('a story in the merge queue gives its slot up to one that is ready', async () => {
  fixture = await createCrewFixture()
  const lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }
  const built = await play(fixture, { lanes }, ...inOneSlot)
  expect(statesOf(built)).toEqual({ one: 'DONE', two: 'DONE' })
  expect(firstMove(built, 'two', 'SETUP')).toBeGreaterThan(firstMove(built, 'one', 'MERGING'))
  expect(firstMove(built, 'two', 'SETUP')).toBeLessThan(firstMove(built, 'one', 'DONE'))
})

test('a cancelled Run keeps the work of every workspace on hidden refs', async () => {
  fixture = await createCrewFixture()
  const gated = (id: string) => ({
    ...greenStory(id),
    [`editor/${id}/CODING`]: [
      writeFile(`${id}.txt`, `unfinished ${id}\n`),
      run('rm -f gate && mkfifo gate && cat gate'),
    ],
  })
  const model = await writeScript(fixture, { lanes: { ...specLanes('one', 'two'), ...gated('one'), ...gated('two') } })
  const owner = fixture.launch(['run', 'Make the files', '--model', model, '--json'])
  await Promise.all(['one', 'two'].map((id) => owner.line(new RegExp(`"model_call".*"editor/${id}/CODING","turn":1`))))
  const { state } = await fixture.open()
  await Promise.all(['coder-001', 'coder-002'].map((slot) => fixture.gate(slot)))
  expect((await fixture.drydock('cancel')).exitCode).toBe(5)
  const ended = await owner.ended
  expect(ended.exitCode).toBe(5)
  const id = String(ended.events[0]?.run)
  for (const story of ['one', 'two']) {
    const machine = (await withRecords(fixture, (records) => records.machine(`${id}/${story}`))) as Story
    expect(machine).toMatchObject({ state: 'CANCELLED', data: { slot: null } })
    const ref = `refs/drydock/snapshots/${id}/${story}/${machine.data.snapshots}`
    const kept = await fixture.git('--git-dir', join(state, 'mirror.git'), 'show', `${ref}:${story}.txt`)
    expect(kept).toBe(`unfinished ${story}`)
  }
  expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
})

test('a task is built beside a spec that waits for a human, in the slot that it leaves free', async () => {
  fixture = await createCrewFixture({ config: impatient, files: { 'moving.txt': 'moves\n' } })
  const lanes = { ...asking, ...greenLanes }
  const waiting = await play(fixture, { lanes }, ...inOneSlot)
  expect(waiting.exitCode).toBe(6)
  const model = await writeScript(fixture, { lanes })
  const task = await fixture.drydock('task', 'say new', '--model', model, '--json', ...inOneSlot)
  expect(resultOf(task)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  expect(statesOf(await replyAndResume(fixture, waiting, 'Answer it yourself.'))).toEqual({
    asks: 'DONE',
    other: 'DONE',
  })
})

test('a spec and a task that two processes start at once are both built', async () => {
  fixture = await createCrewFixture()
  const model = await writeScript(fixture, {
    lanes: { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two'), ...greenLanes },
  })
  const flags = ['--model', model, '--json']
  const both: readonly CommandResult[] = await Promise.all(
    [
      ['run', 'Make the files'],
      ['task', 'say new'],
    ].map((words) => fixture.launch([...words, ...flags]).ended),
  )
  expect(both.map((one) => resultOf(one).status)).toEqual(['DONE', 'DONE'])
  const branches = await fixture.git('branch', '--list', '--format=%(refname:short)', 'drydock/*')
  expect(branches.split('\n')).toEqual([branch, 'drydock/say-new'])
  const slots = await withRecords(fixture, (records) => records.machines({ kind: 'slot' }))
  expect(slots.map(({ id }) => id).toSorted()).toEqual(['coder-001', 'coder-002', 'coder-003'].map(slotId))
})
