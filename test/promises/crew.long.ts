import { writeFile as writeToDisk } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  approve,
  createCrewFixture,
  greenStory,
  needsChanges,
  specLanes,
  submit,
  writeFile,
} from '../scenarios/world/crew.ts'
import { crewOf } from '../scenarios/world/crew-conversation.ts'
import { call, resultOf } from '../scenarios/world/fixture.ts'
import { landedOn, userState } from '../scenarios/world/merge-facts.ts'
import { launch, processesOf } from '../scenarios/world/process.ts'

const look = (pattern: string) => call('list_files', { pattern, coder_id: '${coder_id}' })

test('a crew builds a spec: what is merged was verified merged, reviewed and signed, and a human is asked at a limit', async () => {
  const config = { architect: { request_soft_limit: 2, request_hard_limit: 3 } }
  const fixture = await createCrewFixture({ config, files: { 'list.txt': 'first\n' } })
  onTestFinished(() => fixture.remove())
  const before = await userState(fixture)
  const model = await fixture.replay(
    {
      ...specLanes('one', 'two', { id: 'three', depends_on: ['one'] }),
      ...greenStory('one'),
      ...greenStory('two'),
      ...greenStory('three'),
      // The architect requests a change, which the editor makes.
      'editor/one/CODING': [writeFile('one.txt', '1\n'), submit('one'), writeFile('one.txt', 'one\n'), submit('one')],
      'architect/REQUEST/code/one/1': [needsChanges('It says 1.')],
      'architect/REQUEST/code/one/2': [approve()],
      // A review reads up to its limit, and a human is asked.
      'architect/REQUEST/code/two/1': [look('*.txt'), look('*.md'), approve()],
    },
    { merge_order: ['one', 'two', 'three'] },
  )
  const spec = join(fixture.folder, 'spec.md')
  await writeToDisk(spec, '# Make the files\n\nOne each.\n')
  const flags = ['--model', model, '--json', '--wait', '--repo', fixture.repo, '--max-coders', '2']
  const running = launch(['run', spec, ...flags], fixture)
  const { id, run } = JSON.parse(await running.line(/"type":"escalation"/))
  expect((await fixture.drydock('chat')).stdout).toMatch(new RegExp(`^#${id} .* OPEN$`, 'm'))
  expect((await fixture.drydock('reply', id, 'It is good enough.')).exitCode).toBe(0)
  const done = await running.ended
  expect(done.exitCode, done.stderr).toBe(0)
  expect(resultOf(done)).toMatchObject({
    status: 'DONE',
    branch: 'drydock/make-the-files',
    stories: ['one', 'two', 'three'].map((story) => ({ id: story, state: 'DONE', verdict: 'PASS' })),
  })

  const landed = await landedOn(fixture)
  expect(landed.map(({ story }) => story)).toEqual(['one', 'two', 'three'].map((story) => `${run}/${story}`))
  for (const [i, { sha, parents, verification, reviewedBy }] of landed.entries()) {
    expect(parents).toBe(i === 0 ? await fixture.git('rev-parse', 'main') : landed[i - 1]?.sha)
    expect(verification).toEqual({ status: 'PASS', commitSha: sha })
    expect(reviewedBy).not.toBe('')
    expect((await fixture.drydock('receipt', 'verify', sha)).exitCode).toBe(0)
  }
  expect(await fixture.git('ls-tree', '--name-only', 'drydock/make-the-files')).toBe(
    ['.drydock', 'list.txt', 'one.txt', 'three.txt', 'two.txt', 'value.txt'].join('\n'),
  )
  expect(await fixture.git('show', 'drydock/make-the-files:one.txt')).toBe('one')
  const crew = crewOf(fixture, run)
  expect(await crew.answers('one')).toEqual(['plan 1 APPROVED', 'code 1 NEEDS_CHANGES', 'code 2 APPROVED'])
  expect(await crew.open()).toEqual([])
  expect((await fixture.drydock('report')).stdout).toContain('It is good enough.')
  expect(await userState(fixture)).toEqual(before)
  expect(await processesOf(fixture.folder)).toEqual([])
})

test('a crew’s resolution of a conflict of two stories returns to an editor, and is merged after another verification', async () => {
  const fixture = await createCrewFixture()
  onTestFinished(() => fixture.remove())
  const both = 'one\ntwo\n'
  const model = await fixture.replay(
    {
      ...specLanes('one', 'two'),
      ...greenStory('one'),
      ...greenStory('two'),
      'editor/one/CODING': [writeFile('shared.txt', 'one\n'), submit('one')],
      'editor/two/CODING': [
        writeFile('shared.txt', 'two\n'),
        submit('two'),
        call('read_file', { path: 'shared.txt' }),
        writeFile('shared.txt', both),
        submit('two'),
      ],
      'architect/REQUEST/code/two/2': [approve()],
    },
    { merge_order: ['one', 'two'] },
  )
  const done = await fixture.drydock('run', 'Make the files', '--model', model, '--json', '--no-wait')
  expect(done.exitCode, done.stderr).toBe(0)
  expect(await fixture.git('show', 'drydock/make-the-files:shared.txt')).toBe(both.trim())
  const landed = await landedOn(fixture)
  expect(landed.map(({ verification, sha }) => verification?.commitSha === sha)).toEqual([true, true])
  const merges = done.events.filter(({ type, story }) => type === 'merge' && story === 'two')
  expect(merges.map(({ state }) => state)).toEqual(['MERGING', 'RETURNED', 'MERGING', 'MERGED'])
})
