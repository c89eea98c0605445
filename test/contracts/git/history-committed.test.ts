import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Files as FilesOfCommit } from '../../../src/ports/files.ts'
import type { Files, GitWorld } from './git-world.ts'
import { gits } from './gits.ts'

const { signal } = new AbortController()
const refusal = (code: string) => ({ ok: false, code, message: expect.stringMatching(/./) })

const listed = {
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
const read: Files = {
  'a/b.txt': '12345',
  empty: '',
  'n\nl': '',
  'a/up': { link: '../../a/b.txt' },
  etc: { link: '/etc' },
  'a/deep/.env': 'KEY\n',
  'b/x.txt': 'x\n',
  'harmless.txt': { link: 'a/deep/.env' },
  'b/folder': { link: '../a/./deep' },
  'a/twice': { link: '../b/folder/.env' },
  loop: { link: 'loop' },
  dangling: { link: 'nowhere' },
  folder: { link: 'b' },
  detour: { link: 'b/folder/..//deep/../deep/.env' },
  endless: { link: `${'b/../'.repeat(400)}b/x.txt` },
}
const searched = {
  'src/b.ts': 'foo(1)\nbar\nfoo(2)\r\n',
  'src/a.ts': 'täst foo(3)\n',
  'lib/c.js': 'foo(4)',
  'a.bin': 'foo\0\n',
  '.gitattributes': '*.ts -diff binary\n*.bin diff text\n',
  'odd/n\n:1:l': 'foo\n',
  'options.txt': '--help -x\n',
  'long.txt': `${'ö'.repeat(1_000)}\n`,
}
const tops = { listed, read, searched }

describe.each(gits)('files of a commit by $name', ({ make }) => {
  const worlds: GitWorld[] = []
  const files: Record<string, FilesOfCommit> = {}
  beforeAll(async () => {
    for (const [name, given] of Object.entries(tops)) {
      const world = await make(given)
      worlds.push(world)
      await world.workTrees.initialize([])
      const { head } = await world.userRepository.updateMirror(signal)
      files[name] = world.history.committed(head ?? '')
    }
    const [world] = worlds
    files.ofUser = world?.userRepository.committed(world.user.at('HEAD') ?? '') as FilesOfCommit
  })
  afterAll(async () => {
    for (const world of worlds) await world.close()
  })
  const of = (name: string) => {
    const found = files[name]
    if (found === undefined) throw new Error(`there is no ${name}`)
    return found
  }

  test('a file is read whole, or refused', async () => {
    const committed = of('read')
    expect(await committed.read('./b/../a/b.txt', 5, signal)).toEqual({
      ok: true,
      value: {
        base64: Buffer.from('12345').toString('base64'),
        size: 5,
        path: 'a/b.txt',
        sha256: createHash('sha256').update('12345').digest('hex'),
      },
    })
    expect(await committed.read('a/b.txt', 4, signal)).toEqual(refusal('too_large'))
    expect(await committed.read('n\nl', 0, signal)).toMatchObject({ ok: true, value: { path: 'n\nl' } })
    expect(await committed.read('empty', 0, signal)).toMatchObject({ ok: true, value: { size: 0, base64: '' } })
    for (const path of ['a', 'a/', '.', '', 'a/..'])
      expect(await committed.read(path, 100, signal), path).toEqual(refusal('not_a_file'))
    for (const path of ['nowhere', 'a/b.txt/c', 'a/*', '\0', `${'x/'.repeat(500_000)}y`, '\ud800'])
      expect(await committed.read(path, 100, signal)).toEqual(refusal('not_found'))
  })

  test('nothing leads out: not .., an absolute path, a link, nor a .git', async () => {
    for (const path of [
      '..',
      '../x',
      'a/../../x',
      '/etc/passwd',
      '/repo/a/b.txt',
      'a/up',
      'etc/passwd',
      '.git/config',
      'a/.GIT',
    ])
      expect(await of('read').read(path, 100, signal), path).toEqual(refusal('outside'))
  })

  test('links inside of the tree are followed, and it is said where they have led', async () => {
    for (const path of ['harmless.txt', 'b/folder/.env', 'a/twice', 'folder/folder/.env', 'detour'])
      expect(await of('read').read(path, 100, signal), path).toMatchObject({
        ok: true,
        value: { path: 'a/deep/.env', size: 4 },
      })
    for (const path of ['loop', 'dangling', 'loop/x', 'endless'])
      expect(await of('read').read(path, 100, signal), path).toEqual(refusal('not_found'))
    expect(await of('read').read('folder', 100, signal)).toEqual(refusal('not_a_file'))
  })

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
  test.each(['listed', 'ofUser'])('are listed by the patterns that a workspace takes: %s', async (name) => {
    const committed = of(name)
    for (const [pattern, paths] of Object.entries(name === 'listed' ? patterns : { src: patterns.src ?? [] }))
      expect(await committed.list(pattern, 100, signal), pattern).toEqual({
        ok: true,
        value: { paths, truncated: false },
      })
    const all = Object.keys(listed).sort()
    for (const pattern of ['', '.', './', '**', '*'])
      expect(await committed.list(pattern, 100, signal), pattern).toEqual({
        ok: true,
        value: { paths: all, truncated: false },
      })
    expect(await committed.list('**', 2, signal)).toEqual({
      ok: true,
      value: { paths: all.slice(0, 2), truncated: true },
    })
  })

  test('links are not listed; patterns that lead out or are too much are refused', async () => {
    const regular = ['a/b.txt', 'a/deep/.env', 'b/x.txt', 'empty', 'n\nl']
    expect(await of('read').list('', 100, signal)).toEqual({ ok: true, value: { paths: regular, truncated: false } })
    for (const pattern of ['..', '../*', 'a/../../b', '{..,a}/x'])
      expect(await of('read').list(pattern, 10, signal), pattern).toEqual(refusal('outside'))
    for (const pattern of ['{a,b}'.repeat(100), 'x'.repeat(2_000), '\0'])
      expect(await of('read').list(pattern, 10, signal)).toEqual(refusal('bad_pattern'))
  })

  const found = (...matches: [string, number, string][]) => ({
    ok: true,
    value: { matches: matches.map(([path, line, text]) => ({ path, line, text })), truncated: false },
  })
  const find = (pattern: string, glob: string | null = null, max = 100) =>
    of('searched').search({ pattern, glob, max }, signal)

  test('lines are found by a regular expression, in the files of a glob, in the order of paths and lines', async () => {
    expect(await find('foo\\(\\d\\)$', '*.ts')).toEqual(
      found(['src/a.ts', 1, 'täst foo(3)'], ['src/b.ts', 1, 'foo(1)']),
    )
    expect(await find('(?<=foo\\()[34]')).toEqual(found(['lib/c.js', 1, 'foo(4)'], ['src/a.ts', 1, 'täst foo(3)']))
    expect(await find('t.st')).toEqual(found(['src/a.ts', 1, 'täst foo(3)']))
    expect(await find('foo\\(2')).toEqual(found(['src/b.ts', 3, 'foo(2)']))
    expect(await find('^foo$')).toEqual(found(['odd/n\n:1:l', 1, 'foo']))
    expect(await find('nothing of it')).toEqual(found())
    expect(await find('foo', '../x')).toEqual(refusal('outside'))
    expect(await find('foo', null, 2)).toMatchObject({
      ok: true,
      value: { matches: [{ path: 'lib/c.js' }, { path: 'odd/n\n:1:l' }], truncated: true },
    })
    expect(await find('öö')).toEqual(found(['long.txt', 1, 'ö'.repeat(300)]))
  })

  test('patterns that look like options are taken, and those that mean nothing refused', async () => {
    expect(await find('--help')).toEqual(found(['options.txt', 1, '--help -x']))
    expect(await find('-x', '-*')).toEqual(found())
    for (const pattern of ['(', '(No space left on device', 'a\nb', '\0', 'x'.repeat(100_000)])
      expect(await find(pattern)).toEqual(refusal('bad_pattern'))
  })

  test('an aborted read rejects with the reason', async () => {
    const reason = new Error('stop')
    const aborted = AbortSignal.abort(reason)
    await expect(of('read').search({ pattern: 'x', glob: null, max: 1 }, aborted)).rejects.toBe(reason)
    await expect(of('read').list('**', 1, aborted)).rejects.toBe(reason)
    await expect(of('read').read('empty', 10, aborted)).rejects.toBe(reason)
  })
})
