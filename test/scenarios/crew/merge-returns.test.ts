import { rm, writeFile as writeToDisk } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import type { CommandView } from '../../world/sandbox.ts'
import { conversationOf } from '../world/conversation.ts'
import { approve, greenStory, type Lanes, reject, specLanes, submit, writeFile } from '../world/crew.ts'
import { answerStory, escalations, play, statesOf, withRecords } from '../world/crew-script.ts'
import { call } from '../world/fixture.ts'
import { branch, landedOn } from '../world/merge-facts.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** The second request of a review is never sent, since a human is asked first. */
const impatient = { architect: { request_soft_limit: 1, request_hard_limit: 2 } }
/** A review that a human is asked about before it approves. */
const slowly = [call('list_files', { pattern: '*' }), approve()]
const run = (command: string) => call('run_command', { command })

const builds = (id: string, coding: readonly object[], reviews: readonly (readonly object[])[]): Lanes => ({
  ...greenStory(id),
  [`editor/${id}/CODING`]: coding,
  ...Object.fromEntries(reviews.map((turns, i) => [`architect/REQUEST/code/${id}/${i + 1}`, turns])),
})

test('a story that returns from merging three times asks a human, and continues with the answer', async () => {
  fixture = await createCrewFixture({ config: impatient, files: { 'f1.txt': '0\n', 'f2.txt': '0\n', 'f3.txt': '0\n' } })
  const both = (n: number) => writeFile(`f${n}.txt`, `both\n`)
  const waiting = await play(
    fixture,
    {
      lanes: {
        ...specLanes('one', 'two', 'three', 'all'),
        ...builds('one', [writeFile('f1.txt', 'one\n'), submit('one')], [[approve()]]),
        ...builds('two', [writeFile('f2.txt', 'two\n'), submit('two')], [slowly]),
        ...builds('three', [writeFile('f3.txt', 'three\n'), submit('three')], [slowly]),
        ...builds(
          'all',
          [
            ...[1, 2, 3].map((n) => writeFile(`f${n}.txt`, 'all\n')),
            submit('all'),
            both(1),
            submit('all'),
            both(2),
            submit('all'),
            both(3),
            submit('all'),
          ],
          [slowly, slowly, slowly, [approve()]],
        ),
      },
    },
    '--max-coders',
    '4',
  )
  expect(
    escalations(waiting)
      .map(({ story }) => story)
      .toSorted(),
  ).toEqual(['all', 'three', 'two'])
  await answerStory(fixture, 'all', 'Go on.')
  await answerStory(fixture, 'two', 'Go on.')
  await answerStory(fixture, 'all', 'Go on.')
  await answerStory(fixture, 'three', 'Go on.')
  const asked = await answerStory(fixture, 'all', 'Go on.')
  expect([asked.exitCode, escalations(asked)]).toEqual([
    6,
    [expect.objectContaining({ story: 'all', question: expect.stringContaining('came back from merging 3 times') })],
  ])
  const crew = conversationOf(fixture, asked)
  const story = await withRecords(fixture, (records) => records.machine(`${crew.run}/all`))
  expect(story).toMatchObject({ state: 'ESCALATED', data: { slot: null, mergeReturns: 0 } })

  const built = await answerStory(fixture, 'all', 'Write both into it.')
  expect(statesOf(built)).toEqual({ one: 'DONE', two: 'DONE', three: 'DONE', all: 'DONE' })
  const results = await crew.results('editor/all/CODING')
  const returned = results.filter(({ output }) => output.includes('the two conflict'))
  expect(returned.map(({ output }) => /- f\d\.txt/.exec(output)?.[0])).toEqual(['- f1.txt', '- f2.txt', '- f3.txt'])
  expect(returned[2]?.output).toContain('Write both into it.')
  for (const n of [1, 2, 3]) expect(await fixture.git('show', `${branch}:f${n}.txt`)).toBe('both')
})

test('a binary file and a deleted one conflict without markers: both are named, and the editor decides', async () => {
  const look = `cat gone.txt; tr '\\0' - < picture.bin`
  const programs = {
    [look]: ({ read }: CommandView) => ({
      exitCode: 0,
      output: `${read('gone.txt')}${read('picture.bin')?.replaceAll('\0', '-')}`,
    }),
  }
  fixture = await createCrewFixture({ files: { 'gone.txt': 'here\n', 'picture.bin': 'p\0\n' }, programs })
  const removes = [call('delete_file', { path: 'gone.txt' }), run(`printf 'a\\0a' > picture.bin`), submit('removes')]
  const changes = [
    writeFile('gone.txt', 'changed\n'),
    run(`printf 'c\\0c' > picture.bin`),
    submit('changes'),
    run(look),
    call('delete_file', { path: 'gone.txt' }),
    run(`printf 'b\\0th' > picture.bin`),
    submit('changes'),
  ]
  const built = await play(fixture, {
    lanes: {
      ...specLanes('removes', 'changes'),
      ...builds('removes', removes, [[approve()]]),
      ...builds('changes', changes, [[approve()], [approve()]]),
    },
    mergeOrder: ['removes', 'changes'],
  })
  expect(statesOf(built)).toEqual({ removes: 'DONE', changes: 'DONE' })
  const results = await conversationOf(fixture, built).results('editor/changes/CODING')
  expect(results[2]?.output).toContain('- gone.txt')
  expect(results[2]?.output).toContain('- picture.bin')
  expect(results[2]?.output).toContain('CONFLICT (modify/delete)')
  expect(results[2]?.output).toMatch(/binary/i)
  expect(results[3]?.output).toContain('changed\na-a')
  expect(await fixture.git('ls-tree', '--name-only', branch)).not.toContain('gone.txt')
  expect(await fixture.git('show', `${branch}:picture.bin`)).toBe('b\0th')
})

test('a merge that cannot be verified ends its story with INFRA_ERROR, lands nothing, and is done again in a retry', async () => {
  fixture = await createCrewFixture({ config: impatient })
  const lanes = { ...specLanes('one'), ...builds('one', [writeFile('one.txt', 'one\n'), submit('one')], [slowly]) }
  await play(fixture, { lanes })
  const unblock = await fixture.blockCheckout('merge')
  const failed = await answerStory(fixture, 'one', 'Go on.')
  expect(failed.exitCode).toBe(6)
  expect(escalations(failed).map(({ question }) => question)).toEqual([
    expect.stringContaining('one ended INFRA_ERROR'),
  ])
  expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')

  await unblock()
  const built = await answerStory(fixture, 'one', 'retry')
  expect(built.exitCode).toBe(0)
  const { run: id } = conversationOf(fixture, built)
  expect(await landedOn(fixture)).toMatchObject([{ story: `${id}/one`, verification: { status: 'PASS' } }])
})

test('a recorded order does not wait for a story that has ended without a merge', async () => {
  fixture = await createCrewFixture({ config: impatient })
  const refuses = [call('list_files', { pattern: '*' }), reject('It must not be built.')]
  const waiting = await play(fixture, {
    lanes: {
      ...specLanes('first', 'second'),
      ...greenStory('first'),
      ...greenStory('second'),
      'architect/REQUEST/plan/first/1': refuses,
    },
    mergeOrder: ['first', 'second'],
  })
  expect(escalations(waiting)).toHaveLength(1)
  expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
  const refused = await answerStory(fixture, 'first', 'Decide.')
  expect(refused.exitCode).toBe(6)
  expect(await fixture.git('log', '--format=%s', `main..${branch}`)).toBe('Add second')
})

test('a Run whose recording is gone fails no other Run that merges', async () => {
  fixture = await createCrewFixture({ config: impatient })
  const slow = { 'architect/REQUEST/code/first/1': slowly }
  const waiting = await play(fixture, {
    lanes: { ...specLanes('first', 'second'), ...greenStory('first'), ...greenStory('second'), ...slow },
    mergeOrder: ['first', 'second'],
  })
  expect(waiting.exitCode).toBe(6)
  await rm(join(fixture.folder, 'replay.json'))
  const other = join(fixture.folder, 'other.json')
  await writeToDisk(other, JSON.stringify({ version: 1, lanes: { ...specLanes('third'), ...greenStory('third') } }))
  const built = await fixture.drydock('run', 'Make another', '--model', `replay:${other}`, '--json', '--no-wait')
  expect([built.exitCode, statesOf(built)]).toEqual([0, { third: 'DONE' }])
})
