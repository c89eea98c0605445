import { writeFile as writeToDisk } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Story } from '../../../src/domain/story/story.ts'
import type { Records } from '../../../src/ports/store.ts'
import { createCrewFixture, createMemoryFixture, type Fixture } from '../../world/fixture.ts'
import { dies } from '../../world/kills.ts'
import type { Program } from '../../world/sandbox.ts'
import { alwaysGreen, greenStory, type Lanes, planned, specLanes, submit, writeFile } from '../world/crew.ts'
import { type Script, statesOf, withRecords, writeScript } from '../world/crew-script.ts'
import { call } from '../world/fixture.ts'
import { branch, inMirror, landedOn } from '../world/merge-facts.ts'

/** A stored Run that has not started. */
async function storedRun(fixture: Fixture, script: Script): Promise<string> {
  const run = 'make-the-files-000000'
  const model = await writeScript(fixture, script)
  const stories = ['one', 'two'].map((id) => planned({ id, depends_on: [], files_hint: [] })) as never
  const spec = { text: 'Make the files', source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories: false, stories } as const
  const models = { architect: model, editor: model, scout: model }
  const drydock = await fixture.open()
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  return run
}

test('a process that dies between moving the branch and storing it lands each story once', async () => {
  const fixture = await createMemoryFixture({ steps: [alwaysGreen] })
  onTestFinished(() => fixture.remove())
  const run = await storedRun(fixture, { lanes: { ...greenStory('one'), ...greenStory('two') } })
  const tip = () => fixture.machine.repository.branches.get(branch)
  const deaths: boolean[] = []
  while (deaths.at(-1) !== false && deaths.length < 4) {
    const before = tip()
    deaths.push(await dies({ fixture, run, coders: 2 }, { moment: 'before', when: () => tip() !== before }))
  }
  expect(deaths).toEqual([true, true, false])
  const landed = await landedOn(fixture)
  expect(landed.map(({ story }) => story).toSorted()).toEqual([`${run}/one`, `${run}/two`])
  for (const { sha, verification } of landed) expect(verification).toEqual({ status: 'PASS', commitSha: sha })
  const merges = await withRecords(fixture, (records) => records.machines({ kind: 'merge', run }))
  expect(merges.map(({ state }) => state)).toEqual(['MERGED', 'MERGED'])
})

test('a Run that is cancelled while a merge is put into a workspace keeps the merge, not what lies there still', async () => {
  const fixture = await createMemoryFixture({ steps: [alwaysGreen] })
  onTestFinished(() => fixture.remove())
  const run = await storedRun(fixture, {
    lanes: {
      ...greenStory('one'),
      ...greenStory('two'),
      'editor/one/CODING': [writeFile('value.txt', 'one\n'), writeFile('one.txt', 'one\n'), submit('one')],
      'editor/two/CODING': [writeFile('value.txt', 'two\n'), submit('two')],
    },
    mergeOrder: ['one', 'two'],
  })
  const isReturning = async (records: Records) =>
    ((await records.machines({ kind: 'story', states: ['SETUP'] })) as readonly Story[]).some(
      ({ data }) => data.pending?.event === 'merge_returned',
    )
  expect(await dies({ fixture, run, coders: 2 }, { moment: 'after', when: isReturning })).toBe(true)
  expect((await fixture.drydock('cancel')).exitCode).toBe(5)
  const story = (await withRecords(fixture, (records) => records.machine(`${run}/two`))) as Story
  const sha = story.data.snapshot?.sha ?? ''
  expect(await inMirror(fixture, 'show', `${sha}:one.txt`)).toBe('one')
  expect(await inMirror(fixture, 'show', `${sha}:value.txt`)).toMatch(/^<<<<<<< .*\none\n=======\ntwo\n>>>>>>> /)
})

/** Green before its merge, and endless afterwards. */
const endless = { name: 'test', command: 'if [ -f a1.txt ] && [ -f a2.txt ]; then sleep 600; fi', timeout_sec: 900 }

/** The step `endless` as a program in memory. */
const endlessly: Program = ({ read }) =>
  read('a1.txt') !== null && read('a2.txt') !== null ? new Promise<never>(() => {}) : 0

const builds = (...ids: readonly string[]): Lanes =>
  Object.assign(specLanes(...ids), ...ids.map((id) => greenStory(id)))

test.each([
  ['cancelled', 5],
  ['in ERROR', 1],
] as const)('the merges of a Run continue when the one that was merging is %s', async (how, exitCode) => {
  const fixture = await createCrewFixture({ steps: [endless], programs: { [endless.command]: endlessly } })
  onTestFinished(() => fixture.remove())
  const lanes = {
    ...builds('a1', 'a2', 'breaks'),
    'editor/breaks/CODING': [call('run_command', { command: 'rm -f gate && mkfifo gate && cat gate && rm gate' })],
  }
  const flags = ['--json', '--max-coders', '4']
  const model = await writeScript(fixture, { lanes, mergeOrder: ['a1', 'a2'] })
  const first = fixture.launch(['run', 'Make the files', '--model', model, ...flags])
  await first.line(/"model_call".*"editor\/breaks\/CODING","turn":0/)
  const run = JSON.parse(await first.line(/"type":"run"/)).run as string
  await first.line(/"type":"merge".*"story":"a2".*"MERGING"/)
  const other = await writeOther(fixture, builds('b1'))
  const second = fixture.launch(['run', 'Make another', '--model', other, ...flags])
  await second.line(/"type":"merge".*"story":"b1".*"QUEUED"|"type":"state".*"story":"b1".*"to":"MERGING"/)
  if (how === 'cancelled') await fixture.drydock('cancel', run)
  else await openGates(fixture)
  expect((await first.ended).exitCode).toBe(exitCode)
  const ended = await second.ended
  expect([ended.exitCode, statesOf(ended)]).toEqual([0, { b1: 'DONE' }])
})

/** Opens the gate in the slot of the story `breaks`. */
async function openGates(fixture: Fixture): Promise<void> {
  const machines = await withRecords(fixture, (records) => records.machines({ kind: 'story' }))
  const story = machines.find((machine) => machine.story === 'breaks') as Story
  await (await fixture.gate(story.data.slot ?? '')).open()
}

async function writeOther(fixture: Fixture, lanes: Lanes): Promise<string> {
  const file = join(fixture.folder, 'other.json')
  await writeToDisk(file, JSON.stringify({ version: 1, lanes }))
  return `replay:${file}`
}
