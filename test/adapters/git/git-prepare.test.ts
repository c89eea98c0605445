import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { settle } from '../../../src/adapters/git/work-trees/move-work-tree.ts'
import { identity, listing, writeFiles } from './git-world.ts'
import { prepared, project } from './prepare-world.ts'

describe('a prepared workspace', () => {
  test('equals a fresh clone', async () => {
    const { workspace, clone, gitIn } = await prepared()
    expect(gitIn(workspace, 'config', '--local', '--get-regexp', '^core\\.')).toBe(
      'core.repositoryformatversion 0\ncore.filemode true\ncore.bare false\ncore.logallrefupdates true',
    )
    expect(listing(workspace)).toEqual(listing(clone))
    expect(readFileSync(join(workspace, 'run.bat'), 'utf8')).toBe('echo 1\r\necho 2\r\n')
    expect(gitIn(workspace, 'status', '--porcelain', '--ignored')).toBe('')
  })

  const leftovers: Record<string, (workspace: string) => void> = {
    'ignored files': (w) =>
      writeFiles(w, { 'node_modules/x/index.js': 'x', 'debug.log': 'x', 'agent/context_001.md': 'x' }),
    'untracked files and empty folders': (w) => {
      writeFiles(w, { 'src/new.ts': 'x', '-rf': 'x', 'with\nnewline': 'x' })
      mkdirSync(join(w, 'empty/deep/er'), { recursive: true })
    },
    'names that are not UTF-8': (w) =>
      writeFileSync(Buffer.concat([Buffer.from(`${w}/src/`), Buffer.from([0xff, 0xfe])]), 'x'),
    'edits and deletions': (w) => {
      writeFiles(w, { 'src/a.ts': 'changed\n' })
      rmSync(join(w, 'lib'), { recursive: true })
    },
    'an edit of the same size with its times set back': (w) => {
      const { atime, mtime } = statSync(join(w, 'src/a.ts'))
      writeFiles(w, { 'src/a.ts': 'export const a = 9\n' })
      utimesSync(join(w, 'src/a.ts'), atime, mtime)
    },
    'folders that may not be entered': (w) => {
      writeFiles(w, { 'locked/in/x': 'x' })
      for (const path of ['locked/in', 'locked', 'src']) chmodSync(join(w, path), 0)
    },
    'a top folder that may not be entered': (w) => chmodSync(w, 0),
    'odd permissions': (w) => {
      chmodSync(join(w, 'README.md'), 0o666)
      chmodSync(join(w, 'src/a.ts'), 0o755)
      chmodSync(join(w, 'tool.sh'), 0o644)
      chmodSync(join(w, 'lib'), 0o777)
    },
    'a second link to a tracked file': (w) => {
      rmSync(join(w, '..', '..', 'kept-elsewhere'), { force: true })
      linkSync(join(w, 'README.md'), join(w, '..', '..', 'kept-elsewhere'))
    },
    'a pipe in a tracked folder': (w) =>
      execFileSync('mkfifo', [join(w, 'src', 'pipe'), join(w, '.gitattributes.pipe')]),
    'a pipe for an ignore file': (w) => {
      rmSync(join(w, '.gitignore'))
      execFileSync('mkfifo', [join(w, '.gitignore')])
    },
    'a link swapped for a folder, a folder for a link': (w) => {
      rmSync(join(w, 'link'))
      writeFiles(w, { 'link/inside': 'x' })
      renameSync(join(w, 'lib'), join(w, 'moved'))
      symlinkSync('moved', join(w, 'lib'))
    },
    'a file swapped for a folder, a folder for a file': (w) => {
      rmSync(join(w, 'README.md'))
      writeFiles(w, { 'README.md/x': 'x' })
      rmSync(join(w, 'src'), { recursive: true })
      writeFiles(w, { src: 'x' })
    },
    'nested repositories': (w) => {
      for (const path of ['nested', 'src/nested', 'node_modules/nested']) {
        execFileSync('git', ['init', '--quiet', join(w, path)])
        writeFiles(w, { [`${path}/x`]: 'x' })
      }
    },
    'a .git that is a file': (w) => {
      rmSync(join(w, '.git'), { recursive: true })
      writeFiles(w, { '.git': 'gitdir: /nowhere\n' })
    },
    'a .git that is gone': (w) => rmSync(join(w, '.git'), { recursive: true }),
    'a .git that may not be entered': (w) => chmodSync(join(w, '.git'), 0),
    'nothing at all': (w) => execFileSync('sh', ['-c', 'rm -rf ./* ./.[!.]*'], { cwd: w }),
  }
  let shared: Promise<Awaited<ReturnType<typeof prepared>>> | undefined
  afterAll(async () => (await shared)?.close())
  for (const [what, leave] of Object.entries(leftovers))
    test(`equals a fresh clone after ${what}`, async () => {
      shared ??= prepared(() => undefined)
      const { workspace, clone, prepare, gitIn, keep, config } = await shared
      const { ino } = statSync(workspace)
      leave(workspace)
      await prepare()
      expect(listing(workspace)).toEqual(listing(clone))
      // A snapshot in between makes the leftovers known to git.
      leave(workspace)
      await keep()
      await prepare()
      expect(listing(workspace)).toEqual(listing(clone))
      expect(gitIn(workspace, 'status', '--porcelain', '--ignored')).toBe('')
      expect(readFileSync(join(workspace, '.git/config'), 'utf8')).toBe(config)
      expect(statSync(workspace).ino).toBe(ino)
    })

  test('equals a fresh clone although a snapshot in between saw the edit with faked times', async () => {
    const { workspace, clone, prepare, keep, tip, history } = await prepared()
    const old = new Date('2001-01-01')
    const edit = (content: string) => {
      writeFiles(workspace, { 'src/a.ts': content })
      utimesSync(join(workspace, 'src/a.ts'), old, old)
    }
    const seen = async () => {
      const result = await keep()
      return result.ok && (await history.diff({ from: tip, to: result.snapshot.sha, maxBytes: 10_000 })).text
    }
    edit('export const a = 7\n')
    expect(await seen()).toContain('+export const a = 7')
    edit('export const a = 8\n')
    expect(await seen()).toContain('+export const a = 8')
    for (let turn = 0; turn < 3; turn += 1) {
      edit('export const a = 1\n')
      expect(await seen()).toBe('')
      edit('export const a = 9\n')
      expect(await seen()).toContain('+export const a = 9')
    }
    edit('export const a = 1\n')
    expect(await seen()).toBe('')
    edit('export const a = 9\n')
    await prepare()
    expect(listing(workspace)).toEqual(listing(clone))
  })

  test('a file that is written at once after the work tree has settled is newer than the stamp', async () => {
    const { top } = await prepared()
    const place = { gitDir: top, workTree: top, stamp: join(top, 'stamp') }
    writeFileSync(join(top, 'index'), '')
    for (let turn = 0; turn < 20; turn += 1) {
      await settle(place)
      writeFileSync(join(top, 'edited'), String(turn))
      const { mtimeNs } = statSync(place.stamp, { bigint: true })
      expect(identity(join(top, 'edited')).changed).toBeGreaterThan(mtimeNs)
    }
  })

  test('a folder swapped for a link leads nobody outside', async () => {
    const { workspace, prepare, top } = await prepared()
    const outside = join(top, 'outside')
    writeFiles(outside, { 'a.ts': 'not yours\n', 'deep/b.ts': 'not yours\n' })
    rmSync(join(workspace, 'src'), { recursive: true })
    symlinkSync(outside, join(workspace, 'src'))
    chmodSync(outside, 0o711)
    await prepare()
    expect(listing(outside)).toMatchObject({
      'a.ts': expect.stringContaining(Buffer.from('not yours\n').toString('base64')),
    })
    expect(statSync(outside).mode & 0o777).toBe(0o711)
    expect(readFileSync(join(workspace, 'src/a.ts'), 'utf8')).toBe(project['src/a.ts'])
  })

  test('keeps every file that does not differ as it is on disk', async () => {
    const { workspace, prepare } = await prepared()
    const kept = ['README.md', 'run.bat', 'src/deep/b.ts', 'tool.sh', 'link'].map((path) => join(workspace, path))
    const before = kept.map(identity)
    writeFiles(workspace, { 'src/a.ts': 'changed\n', 'src/deep/new.ts': 'x' })
    await prepare()
    expect(kept.map(identity)).toEqual(before)
  })

  test('with a tree has its files, uncommitted on the tip', async () => {
    const { workspace, workTrees, tip, signal, gitIn, keep } = await prepared()
    writeFiles(workspace, { 'src/a.ts': 'changed\n', 'src/new.ts': 'new\n' })
    rmSync(join(workspace, 'README.md'))
    const files = listing(workspace)
    const kept = await keep()
    if (!kept.ok) throw new Error(kept.reason)
    await workTrees.initialize(['coder-002'])
    await workTrees.prepare({ slot: 'coder-002', tip, tree: kept.snapshot.tree }, signal)
    const other = workTrees.path('coder-002')
    expect(listing(other)).toEqual(files)
    expect(gitIn(other, 'rev-parse', 'HEAD')).toBe(tip)
    expect(gitIn(other, 'status', '--porcelain')).toBe(' D README.md\n M src/a.ts\n?? src/new.ts')
  })
})
