import { expect, onTestFinished, test } from 'vitest'
import { createCrewFixture } from '../../world/fixture.ts'
import type { Program } from '../../world/sandbox.ts'
import { conversationOf } from '../world/conversation.ts'
import { approve, greenStory, type Lanes, specLanes, submit, writeFile } from '../world/crew.ts'
import { firstMove, play, statesOf, withRecords } from '../world/crew-script.ts'
import { call, resultOf } from '../world/fixture.ts'
import { branch, inMirror, landedOn, userState } from '../world/merge-facts.ts'

/** Two files must name the same number, so that no story can break the test alone. */
const agree = {
  name: 'test',
  command: 'echo "checking"; if [ -f left.num ] && [ -f right.num ]; then cmp left.num right.num; fi',
  timeout_sec: 120,
}

/** The step `agree` as a program in memory. */
const agreeing: Program = ({ read }) => {
  const [left, right] = [read('left.num'), read('right.num')]
  const isSame = left === null || right === null || left === right
  return {
    exitCode: isSame ? 0 : 1,
    output: `checking\n${isSame ? '' : 'left.num right.num differ: byte 1, line 1\n'}`,
  }
}

const ids = Array.from({ length: 10 }, (_, i) => `s${i}`)
/** A different order than planned: the recording gives the order of the merges. */
const order = ['s1', 's0', 's2', 's4', 's3', 's5', 's6', 's9', 's8', 's7']

const markers = /^(<<<<<<<|=======|>>>>>>>)/m

const lanesOf = (id: string, ...coding: readonly object[]): Lanes => ({
  ...greenStory(id),
  [`editor/${id}/CODING`]: coding,
  [`architect/REQUEST/code/${id}/2`]: [approve()],
})

/** s0 and s1 write the same file, and so do s3 and s4; s7 contradicts s8, without a conflict. */
const lanes: Lanes = {
  ...specLanes(...ids),
  ...Object.assign({}, ...ids.map((id) => greenStory(id))),
  ...lanesOf('s1', writeFile('list.txt', 'head\none\n'), submit('s1')),
  ...lanesOf(
    's0',
    writeFile('list.txt', 'head\nzero\n'),
    submit('s0'),
    call('read_file', { path: 'list.txt' }),
    submit('s0'),
    writeFile('list.txt', 'head\none\nzero\n'),
    submit('s0'),
  ),
  ...lanesOf('s4', writeFile('value.txt', 'four\n'), submit('s4')),
  ...lanesOf(
    's3',
    writeFile('value.txt', 'three\n'),
    submit('s3'),
    writeFile('value.txt', 'four and three\n'),
    submit('s3'),
  ),
  ...lanesOf('s8', writeFile('left.num', '8\n'), submit('s8')),
  ...lanesOf('s7', writeFile('right.num', '7\n'), submit('s7'), writeFile('right.num', '8\n'), submit('s7')),
}

test('ten stories with two conflicts and a break that only shows after merging become ten verified commits', async () => {
  const fixture = await createCrewFixture({
    steps: [agree],
    programs: { [agree.command]: agreeing },
    files: { 'list.txt': 'head\n' },
  })
  onTestFinished(() => fixture.remove())
  const before = await userState(fixture)
  const built = await play(fixture, { lanes, mergeOrder: order }, '--max-coders', '10')
  expect([built.exitCode, statesOf(built)]).toEqual([0, Object.fromEntries(ids.map((id) => [id, 'DONE']))])
  expect(resultOf(built)).toMatchObject({ branch })
  const crew = conversationOf(fixture, built)

  const landed = await landedOn(fixture)
  expect(landed.map(({ story }) => story)).toEqual(order.map((id) => `${crew.run}/${id}`))
  let tip = await fixture.git('rev-parse', 'main')
  for (const { sha, parents, story, verification, reviewedBy } of landed) {
    expect({ sha, parents, verification }).toEqual({
      sha,
      parents: tip,
      verification: { status: 'PASS', commitSha: sha },
    })
    const rounds = /s(0|3|7)$/.test(story) ? 2 : 1
    expect(reviewedBy).toBe(`architect (code/${story.split('/').at(-1)}/${rounds})`)
    tip = sha
  }
  expect(await userState(fixture)).toEqual(before)
  expect(await fixture.git('show', `${branch}:list.txt`)).toBe('head\none\nzero')
  expect(await fixture.git('show', `${branch}:value.txt`)).toBe('four and three')

  // A conflict: the facts, the markers, a refusal while these remain, and a commit with both tips
  // as parents.
  const results = await crew.results('editor/s0/CODING')
  expect(results[1]).toMatchObject({ ok: false, output: expect.stringContaining('list.txt') })
  expect(results[2]?.output).toMatch(/<<<<<<< /)
  expect(results[3]).toMatchObject({ ok: false, output: expect.stringContaining('conflict markers') })
  const moved = await withRecords(fixture, (records) => records.verifications(crew.run))
  const ofConflict = moved.filter(({ story }) => story === 's0').map(({ commitSha, status }) => ({ commitSha, status }))
  expect(ofConflict.map(({ status }) => status)).toEqual(['PASS', 'PASS', 'PASS'])
  const [candidate = '', resolved = ''] = ofConflict.map(({ commitSha }) => commitSha)
  const s1 = landed[0]?.sha
  expect(await inMirror(fixture, 'log', '-1', '--format=%P', resolved)).toBe(`${s1} ${candidate}`)
  expect(await inMirror(fixture, 'show', `${resolved}:list.txt`)).not.toMatch(markers)

  // A red merge: the failure, and the place of the whole log; it does not count as a failure of the
  // story.
  const red = moved.filter(({ story, status }) => story === 's7' && status === 'FAIL')
  expect(red).toHaveLength(1)
  const facts = (await crew.results('editor/s7/CODING'))[1]
  expect(facts).toMatchObject({ ok: false, output: expect.stringContaining('left.num right.num differ') })
  expect(facts?.output).toContain(`artifact:${red[0]?.runId}/logs/combined.log`)
  const story = await withRecords(fixture, (records) => records.machine(`${crew.run}/s7`))
  expect(story?.data).toMatchObject({ failures: { consecutive: 0, loops: 0 }, mergeReturns: 1 })
})

test('without a recorded order stories are merged as they were approved', async () => {
  const fixture = await createCrewFixture()
  onTestFinished(() => fixture.remove())
  const names = ['one', 'two', 'three']
  const built = await play(fixture, {
    lanes: { ...specLanes(...names), ...Object.assign({}, ...names.map((id) => greenStory(id))) },
  })
  const approved = names.toSorted((a, b) => firstMove(built, a, 'MERGING') - firstMove(built, b, 'MERGING'))
  const { run } = conversationOf(fixture, built)
  expect((await landedOn(fixture)).map(({ story }) => story)).toEqual(approved.map((id) => `${run}/${id}`))
})
