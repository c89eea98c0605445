import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile as writeToDisk } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { ToolExecution } from '../../src/ports/rows.ts'
import { approve, build, createCrewFixture, greenStory, reply, specLanes } from '../scenarios/world/crew.ts'
import { type CrewConversation, crewOf, read } from '../scenarios/world/crew-conversation.ts'
import { call, type Fixture, resultOf } from '../scenarios/world/fixture.ts'

const own = { coder_id: '${coder_id}' }

/** All rows of a lane, in order. */
async function rows(fixture: Fixture, crew: CrewConversation, lane: string): Promise<readonly ToolExecution[]> {
  const { turn } = await crew.lane(lane)
  return read(fixture, async (records) => {
    const found: ToolExecution[] = []
    for (let at = 0; at < turn; at += 1) {
      for (let index = 0; ; index += 1) {
        const row = await records.toolExecution(`${crew.run}/${lane}`, at, index)
        if (row === null) break
        found.push(row)
      }
    }
    return found
  })
}

test('of commits reads by the git of the architect’s sandbox, never by that of this machine', async () => {
  const bin = await mkdtemp(join(tmpdir(), 'drydock-git-'))
  const log = join(bin, 'log')
  const git = execFileSync('which', ['git']).toString().trim()
  await writeToDisk(join(bin, 'git'), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${log}\nexec ${git} "$@"\n`, { mode: 0o755 })
  onTestFinished(async () => {
    await fixture.remove()
    await rm(bin, { recursive: true })
  })
  const fixture = await createCrewFixture({ env: { PATH: `${bin}:${process.env.PATH}` } })
  const done = await build(fixture, {
    ...specLanes('one'),
    ...greenStory('one'),
    'architect/SCOPING': [
      call('read_file', { path: 'value.txt' }),
      call('list_files', { pattern: 'val*.txt' }),
      call('search_files', { pattern: '^o.d$', glob: '*.txt' }),
      reply('Small.'),
    ],
    'architect/REQUEST/code/one/1': [call('get_diff', { path: 'one.txt', ...own }), approve()],
  })
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  const crew = crewOf(fixture, done)
  expect((await crew.results('architect/SCOPING')).map(({ output }) => output)).toEqual([
    '1\told',
    'value.txt',
    'value.txt:1: old',
  ])
  const [diff] = await crew.results('architect/REQUEST/code/one/1')
  expect(diff).toMatchObject({ ok: true, output: expect.stringContaining('+one') })
  const ran = (await readFile(log, 'utf8')).split('\n')
  expect(ran.length).toBeGreaterThan(20)
  expect(ran.filter((line) => /\bgrep\b|val\*|--patch .* one\.txt|cat-file --batch -z/.test(line))).toEqual([])
})
