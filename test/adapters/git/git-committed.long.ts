import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import type { Files } from '../../../src/ports/files.ts'
import { makeWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})
async function committed(
  files: Readonly<Record<string, string>>,
  more: (world: World) => void = () => {},
): Promise<{ files: Files; world: World; sha: string }> {
  const world = makeWorld({ 'README.md': 'one\n', ...files })
  worlds.push(world)
  more(world)
  const sha = world.commitAll()
  return { files: await filesAt(world, sha), world, sha }
}
async function filesAt(world: World, sha: string): Promise<Files> {
  await world.workTrees.initialize([])
  world.git('tag', '--force', 'asked', sha)
  await world.userRepository.updateMirror(world.signal)
  return world.history.committed(sha)
}
const { signal } = new AbortController()
const refusal = (code: string) => ({ ok: false, code, message: expect.stringMatching(/./) })

describe('search', () => {
  const found = (...matches: [string, number, string][]) => ({
    ok: true,
    value: { matches: matches.map(([path, line, text]) => ({ path, line, text })), truncated: false },
  })
  const find = (files: Files, pattern: string, glob: string | null = null, max = 100) =>
    files.search({ pattern, glob, max }, signal)

  test('stops at more than anybody wants', async () => {
    const { files } = await committed({ 'b.txt': `needle ${'x'.repeat(1_000)}\n`.repeat(20_000) })
    const much = await find(files, 'needle', null, 1_000_000)
    expect(much).toMatchObject({ ok: true, value: { truncated: true } })
    const matches = much.ok ? much.value.matches : []
    expect(matches[0]).toEqual({ path: 'b.txt', line: 1, text: `needle ${'x'.repeat(293)}` })
    expect(matches.length).toBeGreaterThan(10_000)
  })

  test('a git without Perl’s regular expressions falls back to those of POSIX', async () => {
    const { world, sha } = await committed({ 'a.txt': 'foo(1)\n' })
    const bin = join(world.top, 'bin')
    mkdirSync(bin)
    const says = 'fatal: cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE'
    const real = execFileSync('sh', ['-c', 'command -v git']).toString().trim()
    const script = `#!/bin/sh\ncase " $* " in *" --perl-regexp "*) echo '${says}' >&2; exit 128;; esac\nexec '${real}' "$@"\n`
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
    const environment = { ...world.environment, PATH: `${bin}:${world.environment.PATH}` }
    const files = createGitPorts({ ...world, environment }).history.committed(sha)
    expect(await find(files, 'foo\\([0-9]+\\)')).toEqual(found(['a.txt', 1, 'foo(1)']))
    expect(await find(files, '(')).toEqual(refusal('bad_pattern'))
  })
})

test('a file in a repository of SHA-256 is read, listed and searched the same way', async () => {
  const world = makeWorld({ 'a.txt': 'one\n' }, ['--object-format=sha256'])
  worlds.push(world)
  writeFiles(world.repository, { 'b.txt': 'two\n' })
  const files = await filesAt(world, world.commitAll())
  expect(await files.read('b.txt', 10, signal)).toMatchObject({ ok: true, value: { path: 'b.txt', size: 4 } })
  expect(await files.list('*', 10, signal)).toMatchObject({ ok: true, value: { paths: ['a.txt', 'b.txt'] } })
  expect(await files.search({ pattern: 'two', glob: 'b*', max: 10 }, signal)).toMatchObject({
    value: { matches: [{ path: 'b.txt', line: 1, text: 'two' }] },
  })
})
