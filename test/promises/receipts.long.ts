import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createCrewFixture, greenStory, specLanes } from '../scenarios/world/crew.ts'
import { writeScript } from '../scenarios/world/crew-script.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { branch } from '../scenarios/world/merge-facts.ts'
import { launch } from '../scenarios/world/process.ts'

const notes = 'refs/notes/drydock'

async function crew(): Promise<Fixture> {
  const fixture = await createCrewFixture()
  onTestFinished(() => fixture.remove())
  return fixture
}

/** The envelope in a commit's note. */
const noteOf = (fixture: Pick<Fixture, 'git'>, commit: string) => fixture.git('notes', `--ref=${notes}`, 'show', commit)

/** A git that kills Drydock with SIGKILL instead of moving a ref of these names, once each. */
async function withKiller(fixture: Fixture, refs: readonly string[]): Promise<Fixture['env']> {
  const bin = join(fixture.folder, 'bin')
  const real = (await promisify(execFile)('which', ['git'])).stdout.trim()
  // Git's parent is a shell, whose parent is Drydock.
  const kill = [
    'read -r _ name _ parent _ <"/proc/$PPID/stat"',
    '[ "$name" = "(sh)" ] && kill -9 "$parent"',
    'exit 1',
  ].join('; ')
  const kills = refs.map((ref, n) => `*update-ref*" ${ref}"*) if mkdir "$0.${n}" 2>/dev/null; then ${kill}; fi;;`)
  await mkdir(bin)
  await writeFile(join(bin, 'git'), ['#!/bin/sh', 'case "$*" in', ...kills, 'esac', `exec ${real} "$@"`, ''].join('\n'))
  await chmod(join(bin, 'git'), 0o755)
  return { ...fixture.env, PATH: `${bin}:${fixture.env.PATH}` }
}

test('a process that dies between receipt, note and branch continues with the same bytes and one note', async () => {
  const fixture = await crew()
  const env = await withKiller(fixture, [notes, 'refs/heads/drydock/'])
  const model = await writeScript(fixture, { lanes: { ...specLanes('one'), ...greenStory('one') } })
  const flags = ['--json', '--repo', fixture.repo]
  const refs = () => fixture.git('for-each-ref', '--format=%(refname)')
  const killed = await launch(['run', 'Make the files', '--model', model, ...flags], { env }).ended
  const folder = join((await fixture.open()).artifacts, 'receipts')
  const [name = '', ...others] = await readdir(folder)
  const first = await readFile(join(folder, name), 'utf8')
  expect([killed.signal, others, await refs()]).toEqual(['SIGKILL', [], 'refs/heads/main'])

  const again = await launch(['resume', ...flags], { env }).ended
  expect([again.signal, await refs()]).toEqual(['SIGKILL', `refs/heads/main\n${notes}`])
  const commit = name.replace('.json', '')
  const place = await fixture.git('rev-parse', notes)
  expect(await noteOf(fixture, commit)).toBe(first.trim())

  expect((await launch(['resume', ...flags], { env }).ended).exitCode).toBe(0)
  expect(await fixture.git('rev-parse', notes, branch)).toBe(`${place}\n${commit}`)
  expect(await readdir(folder)).toEqual([name])
  expect(await readFile(join(folder, name), 'utf8')).toBe(first)
  expect((await fixture.drydock('receipt', 'verify', commit)).exitCode).toBe(0)
})
