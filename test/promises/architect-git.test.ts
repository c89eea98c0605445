import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile as writeToDisk } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { approve, build, createCrewFixture, greenStory, reply, specLanes } from '../scenarios/world/crew.ts'
import { crewOf } from '../scenarios/world/crew-conversation.ts'
import { call, resultOf } from '../scenarios/world/fixture.ts'

const own = { coder_id: '${coder_id}' }

test('the architect reads commits by the git of its sandbox, never by that of this machine', async () => {
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
