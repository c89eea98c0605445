import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { userPath } from '../../../src/adapters/git/raw-path.ts'
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
/** Makes a commit of entries for `git mktree`: with names that no checkout would create. */
function commitOf(world: World, entries: string): string {
  const input = Buffer.from(entries, 'latin1')
  const tree = execFileSync('git', ['mktree', '-z'], { cwd: world.repository, env: world.environment, input })
  return world.git('commit-tree', tree.toString().trim(), '-m', 'hostile')
}
const { signal } = new AbortController()
const refusal = (code: string) => ({ ok: false, code, message: expect.stringMatching(/./) })

describe('read', () => {
  test('gives the bytes that are stored, whatever the attributes would make of them', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 10])
    const { files } = await committed({ '.gitattributes': '* text eol=crlf ident\n', 'a.txt': '$Id$\n' }, (world) =>
      writeFileSync(join(world.repository, 'x.bin'), bytes),
    )
    const value = (content: Buffer, path: string) => ({
      ok: true,
      value: {
        base64: content.toString('base64'),
        size: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
        path,
      },
    })
    expect(await files.read('a.txt', 100, signal)).toEqual(value(Buffer.from('$Id$\n'), 'a.txt'))
    expect(await files.read('./b/../x.bin', 5, signal)).toEqual(value(Buffer.from([0, 255, 10, 10]), 'x.bin'))
  })

  test('a submodule is not a file', async () => {
    const world = makeWorld()
    worlds.push(world)
    const files = await filesAt(world, commitOf(world, `160000 commit ${'1'.repeat(40)}\tsub\0`))
    expect(await files.read('sub', 100, signal)).toEqual(refusal('not_a_file'))
    expect(await files.read('sub/x', 100, signal)).toMatchObject({ ok: false })
    expect(await files.list('**', 10, signal)).toEqual({ ok: true, value: { paths: [], truncated: false } })
  })

  test('nothing leads out by a .git that a tree names', async () => {
    const { world } = await committed({})
    const blob = world.git('rev-parse', 'HEAD:README.md')
    const tree = world.git('rev-parse', 'HEAD^{tree}')
    writeFileSync(join(world.repository, 'target'), '.git/README.md')
    const link = world.git('hash-object', '-w', 'target')
    const hostile = commitOf(
      world,
      `040000 tree ${tree}\t.git\0` + `100644 blob ${blob}\t.Git\0` + `120000 blob ${link}\tlink\0`,
    )
    const planted = await filesAt(world, hostile)
    expect(await planted.read('link', 100, signal)).toEqual(refusal('outside'))
    expect(await planted.list('**', 100, signal)).toEqual({ ok: true, value: { paths: [], truncated: false } })
    expect(await planted.search({ pattern: 'one', glob: null, max: 10 }, signal)).toEqual({
      ok: true,
      value: { matches: [], truncated: false },
    })
  })
})

describe('list', () => {
  test('an empty tree has nothing', async () => {
    const world = makeWorld()
    worlds.push(world)
    const files = await filesAt(world, commitOf(world, ''))
    expect(await files.list('**', 10, signal)).toEqual({ ok: true, value: { paths: [], truncated: false } })
    expect(await files.search({ pattern: '.', glob: null, max: 10 }, signal)).toEqual({
      ok: true,
      value: { matches: [], truncated: false },
    })
    expect(await files.read('x', 10, signal)).toEqual(refusal('not_found'))
  })

  test('names that are not UTF-8 are shown with a mark', async () => {
    const { files } = await committed({}, ({ repository }) => {
      writeFileSync(userPath(repository, '\xff.txt'), 'needle\n')
      symlinkSync(Buffer.from('\xff.txt', 'latin1'), join(repository, 'link'))
    })
    expect(await files.list('*.txt', 10, signal)).toEqual({
      ok: true,
      value: { paths: ['\ufffd.txt'], truncated: false },
    })
    expect(await files.search({ pattern: 'needle', glob: null, max: 10 }, signal)).toEqual({
      ok: true,
      value: { matches: [{ path: '\ufffd.txt', line: 1, text: 'needle' }], truncated: false },
    })
    expect(await files.read('\ufffd.txt', 10, signal)).toEqual(refusal('not_found'))
    expect(await files.read('link', 10, signal)).toEqual(refusal('not_found'))
  })
})

describe('search', () => {
  const found = (...matches: [string, number, string][]) => ({
    ok: true,
    value: { matches: matches.map(([path, line, text]) => ({ path, line, text })), truncated: false },
  })
  const find = (files: Files, pattern: string, glob: string | null = null, max = 100) =>
    files.search({ pattern, glob, max }, signal)

  test('a pattern that never ends is a bad one, and one that git cannot read is told in its words', async () => {
    const { files } = await committed({ 'a.txt': `${'a'.repeat(5_000)}!\n` })
    expect(await find(files, '(')).toMatchObject({ message: expect.stringContaining('missing closing parenthesis') })
    expect(await find(files, '(*NO_AUTO_POSSESS)^(a|aa|a+)+$')).toEqual(refusal('bad_pattern'))
  })

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
