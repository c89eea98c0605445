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
/** Of its entries, as `git mktree` takes them: with names that no checkout would make. */
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

  test('refuses what is too large, no file, or not there', async () => {
    const { files } = await committed({ 'a/b.txt': '12345', empty: '', 'n\nl': '' })
    expect(await files.read('a/b.txt', 4, signal)).toEqual(refusal('too_large'))
    expect(await files.read('a/b.txt', 5, signal)).toMatchObject({ ok: true, value: { size: 5 } })
    expect(await files.read('n\nl', 0, signal)).toMatchObject({ ok: true, value: { path: 'n\nl' } })
    expect(await files.read('empty', 0, signal)).toMatchObject({ ok: true, value: { size: 0, base64: '' } })
    for (const path of ['a', 'a/', '.', '', 'a/..'])
      expect(await files.read(path, 100, signal)).toEqual(refusal('not_a_file'))
    for (const path of ['nowhere', 'a/b.txt/c', 'a/*', '\0', `${'x/'.repeat(500_000)}y`, '\ud800'])
      expect(await files.read(path, 100, signal)).toEqual(refusal('not_found'))
  })

  test('a submodule is no file', async () => {
    const world = makeWorld()
    worlds.push(world)
    const files = await filesAt(world, commitOf(world, `160000 commit ${'1'.repeat(40)}\tsub\0`))
    expect(await files.read('sub', 100, signal)).toEqual(refusal('not_a_file'))
    expect(await files.read('sub/x', 100, signal)).toMatchObject({ ok: false })
    expect(await files.list('**', 10, signal)).toEqual({ ok: true, value: { paths: [], truncated: false } })
  })

  test('nothing leads out: not .., an absolute path, a link, nor a .git that a tree names', async () => {
    const { files, world } = await committed({ 'a/b.txt': 'b\n' }, ({ repository }) => {
      symlinkSync('../../a/b.txt', join(repository, 'a/up'))
      symlinkSync('/etc', join(repository, 'etc'))
    })
    const outside = [
      '..',
      '../x',
      'a/../../x',
      '/etc/passwd',
      '/repo/a/b.txt',
      'a/up',
      'etc/passwd',
      '.git/config',
      'a/.GIT',
    ]
    for (const path of outside) expect(await files.read(path, 100, signal), path).toEqual(refusal('outside'))

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

  test('follows links inside of the tree, and says where they have led', async () => {
    const { files } = await committed({ 'a/deep/.env': 'KEY\n', 'b/x.txt': 'x\n' }, ({ repository }) => {
      symlinkSync('a/deep/.env', join(repository, 'harmless.txt'))
      symlinkSync('../a/./deep', join(repository, 'b/folder'))
      symlinkSync('../b/folder/.env', join(repository, 'a/twice'))
      symlinkSync('loop', join(repository, 'loop'))
      symlinkSync('nowhere', join(repository, 'dangling'))
      symlinkSync('b', join(repository, 'folder'))
      symlinkSync('b/folder/..//deep/../deep/.env', join(repository, 'detour'))
      symlinkSync(`${'b/../'.repeat(400)}b/x.txt`, join(repository, 'endless'))
    })
    for (const path of ['harmless.txt', 'b/folder/.env', 'a/twice', 'folder/folder/.env', 'detour'])
      expect(await files.read(path, 100, signal), path).toMatchObject({
        ok: true,
        value: { path: 'a/deep/.env', size: 4 },
      })
    for (const path of ['loop', 'dangling', 'loop/x', 'endless'])
      expect(await files.read(path, 100, signal), path).toEqual(refusal('not_found'))
    expect(await files.read('folder', 100, signal)).toEqual(refusal('not_a_file'))
  })
})

describe('list', () => {
  const tree = {
    'src/a.ts': '',
    'src/deep/b.ts': '',
    'src/deep/b.test.ts': '',
    'lib/src': '',
    'lib/c.js': '',
    'app/[id]/page.ts': '',
    '.github/ci.yml': '',
    'odd/-x.ts': '',
    'odd/:(top)': '',
    'odd/n\nl.ts': '',
  }
  const patterns: Record<string, readonly string[]> = {
    '*.ts': ['app/[id]/page.ts', 'odd/-x.ts', 'odd/n\nl.ts', 'src/a.ts', 'src/deep/b.test.ts', 'src/deep/b.ts'],
    './*.ts': [],
    'src/*.ts': ['src/a.ts'],
    '/src/*.ts': ['src/a.ts'],
    'src/**/*.ts': ['src/a.ts', 'src/deep/b.test.ts', 'src/deep/b.ts'],
    '**/deep/**': ['src/deep/b.test.ts', 'src/deep/b.ts'],
    src: ['lib/src', 'src/a.ts', 'src/deep/b.test.ts', 'src/deep/b.ts'],
    'src/': ['lib/src', 'src/a.ts', 'src/deep/b.test.ts', 'src/deep/b.ts'],
    'src/d*': [],
    'app/[id]': ['app/[id]/page.ts'],
    '[ab].ts': ['src/a.ts', 'src/deep/b.ts'],
    '*.{js,yml}': ['.github/ci.yml', 'lib/c.js'],
    '{src,lib}/{a,c}.{t,j}s': ['lib/c.js', 'src/a.ts'],
    'b{.test,}.ts': ['src/deep/b.test.ts', 'src/deep/b.ts'],
    '{{a,page}.ts,c.js}': ['app/[id]/page.ts', 'lib/c.js', 'src/a.ts'],
    '{,src/a.ts}': ['src/a.ts'],
    '{/src/a.ts,x/}': ['src/a.ts'],
    '-x.ts': ['odd/-x.ts'],
    '--output=x': [],
    ':(top)': ['odd/:(top)'],
    ':!src': [],
    '{,}': [],
    '[': [],
    '\\': [],
    'n?l.*': ['odd/n\nl.ts'],
  }
  test('takes the patterns that a workspace takes', async () => {
    const { files } = await committed(tree, ({ repository }) => symlinkSync('a.ts', join(repository, 'src/link.ts')))
    for (const [pattern, paths] of Object.entries(patterns))
      expect(await files.list(pattern, 100, signal), pattern).toEqual({ ok: true, value: { paths, truncated: false } })
    const all = [...Object.keys(tree), 'README.md'].sort()
    for (const pattern of ['', '.', './', '**', '*'])
      expect(await files.list(pattern, 100, signal), pattern).toEqual({
        ok: true,
        value: { paths: all, truncated: false },
      })
    expect(await files.list('**', 2, signal)).toEqual({ ok: true, value: { paths: all.slice(0, 2), truncated: true } })
  })

  test('refuses patterns that lead out or are too much', async () => {
    const { files } = await committed({})
    for (const pattern of ['..', '../*', 'a/../../b', '{..,a}/x'])
      expect(await files.list(pattern, 10, signal), pattern).toEqual(refusal('outside'))
    for (const pattern of ['{a,b}'.repeat(100), 'x'.repeat(2_000), '\0'])
      expect(await files.list(pattern, 10, signal)).toEqual(refusal('bad_pattern'))
  })

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

  test('finds lines by a regular expression, in the files of a glob, in the order of paths and lines', async () => {
    const { files } = await committed({
      'src/b.ts': 'foo(1)\nbar\nfoo(2)\r\n',
      'src/a.ts': 'täst foo(3)\n',
      'lib/c.js': 'foo(4)',
      'a.bin': 'foo\0\n',
      '.gitattributes': '*.ts -diff binary\n*.bin diff text\n',
      'odd/n\n:1:l': 'foo\n',
    })
    expect(await find(files, 'foo\\(\\d\\)$', '*.ts')).toEqual(
      found(['src/a.ts', 1, 'täst foo(3)'], ['src/b.ts', 1, 'foo(1)']),
    )
    expect(await find(files, '(?<=foo\\()[34]')).toEqual(
      found(['lib/c.js', 1, 'foo(4)'], ['src/a.ts', 1, 'täst foo(3)']),
    )
    expect(await find(files, 't.st')).toEqual(found(['src/a.ts', 1, 'täst foo(3)']))
    expect(await find(files, 'foo\\(2')).toEqual(found(['src/b.ts', 3, 'foo(2)']))
    expect(await find(files, '^foo$')).toEqual(found(['odd/n\n:1:l', 1, 'foo']))
    expect(await find(files, 'nothing of it')).toEqual(found())
    expect(await find(files, 'foo', '../x')).toEqual(refusal('outside'))
    expect(await find(files, 'foo', null, 2)).toMatchObject({
      ok: true,
      value: { matches: [{ path: 'lib/c.js' }, { path: 'odd/n\n:1:l' }], truncated: true },
    })
  })

  test('takes patterns that look like options, and refuses those that mean nothing', async () => {
    const { files } = await committed({ 'a.txt': '--help -x\n' })
    expect(await find(files, '--help')).toEqual(found(['a.txt', 1, '--help -x']))
    expect(await find(files, '-x', '-*')).toEqual(found())
    for (const pattern of ['(', '(No space left on device', 'a\nb', '\0', 'x'.repeat(100_000)])
      expect(await find(files, pattern)).toEqual(refusal('bad_pattern'))
    expect(await find(files, '(')).toMatchObject({ message: expect.stringContaining('missing closing parenthesis') })
    expect(await find(files, '(a+)+$', null)).toMatchObject({ ok: true })
  })

  test('a pattern that never ends is a bad one', async () => {
    const { files } = await committed({ 'a.txt': `${'a'.repeat(5_000)}!\n` })
    expect(await find(files, '(*NO_AUTO_POSSESS)^(a|aa|a+)+$')).toEqual(refusal('bad_pattern'))
  })

  test('cuts long lines, and stops at more than anybody wants', async () => {
    const long = 'ä'.repeat(1_000)
    const { files } = await committed({ 'a.txt': `${long}\n`, 'b.txt': `needle ${'x'.repeat(1_000)}\n`.repeat(40_000) })
    expect(await find(files, 'ä')).toEqual(found(['a.txt', 1, long.slice(0, 300)]))
    const much = await find(files, 'needle', null, 1_000_000)
    expect(much).toMatchObject({ ok: true, value: { truncated: true } })
    const matches = much.ok ? much.value.matches : []
    expect(matches[0]).toEqual({ path: 'b.txt', line: 1, text: `needle ${'x'.repeat(293)}` })
    expect(matches.length).toBeGreaterThan(10_000)
  })

  test('rejects with the reason when aborted, and reads nothing more', async () => {
    const { files } = await committed({})
    const reason = new Error('stop')
    const aborted = AbortSignal.abort(reason)
    await expect(files.search({ pattern: 'x', glob: null, max: 1 }, aborted)).rejects.toBe(reason)
    await expect(files.list('**', 1, aborted)).rejects.toBe(reason)
    await expect(files.read('README.md', 10, aborted)).rejects.toBe(reason)
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
