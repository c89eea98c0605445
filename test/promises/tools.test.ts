import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolResult } from '../../src/domain/lane/message.ts'
import { limits } from '../../src/domain/limits.ts'
import { type Conversation, conversationOf } from '../scenarios/world/conversation.ts'
import { call, change, createFixture, type Fixture, plan } from '../scenarios/world/fixture.ts'

type Calls = Readonly<Record<string, { readonly calls: readonly { readonly tool: string; readonly input: object }[] }>>

const use = (tool: string, input: object) => call(tool, input) as Calls[string]
const read = (path: string, more: object = {}) => use('read_file', { path, ...more })
const edit = (path: string, old: string, replacement: string, more: object = {}) =>
  use('edit_file', { path, old, new: replacement, ...more })
const sh = (command: string, more: object = {}) => use('run_command', { command, ...more })

const mebibyte = 1_048_576
const latin1 = Buffer.from('caf\xe9 old\n', 'latin1')
const binary = Buffer.from([1, 0, 2, 0x0a, 255])

/** The calls during planning, when the workspace is read-only. */
const planning = {
  whole: read('text.txt'),
  part: read('text.txt', { offset: 2, limit: 2 }),
  beyond: read('text.txt', { offset: 9 }),
  empty: read('empty.txt'),
  crlf: read('crlf.txt'),
  largest: read('largest.txt', { limit: 1 }),
  tooLarge: read('too-large.txt'),
  binary: read('binary.bin'),
  latin1: read('latin1.txt'),
  secret: read('.env'),
  linkToSecret: read('link-to-secret'),
  example: read('.env.example'),
  linkOut: read('link-out'),
  linkIn: read('link-in'),
  above: read('../../../etc/passwd'),
  folder: read('docs'),
  missing: read('no-such-file'),
  git: read('.git/config'),
  noArtifact: read('artifact:run_20310101_000000_aaaaaa/logs/combined.log'),
  list: use('list_files', { pattern: '*.md' }),
  listNothing: use('list_files', { pattern: '*.nothing' }),
  listGit: use('list_files', { pattern: '.git/**' }),
  search: use('search_files', { pattern: 't(wo|hree)', glob: 'text.txt' }),
  searchSecret: use('search_files', { pattern: 'planted-canary' }),
  searchNothing: use('search_files', { pattern: 'no such words' }),
  searchBroken: use('search_files', { pattern: '(' }),
  noDiff: use('get_diff', {}),
  readOnly: sh('echo x > text.txt'),
  looks: sh('cat text.txt'),
} satisfies Calls

const coding = {
  crlf: edit('crlf.txt', 'two\nthree', '2\n3\n4'),
  bom: edit('bom.txt', 'one', '1'),
  noFinalNewline: edit('no-final-newline.txt', 'two', '2'),
  latin1: edit('latin1.txt', 'old', 'new'),
  binary: edit('binary.bin', 'a', 'b'),
  executable: edit('run.sh', 'echo old', 'echo new'),
  unlike: edit('text.txt', 'four hundred', 'x'),
  twice: edit('twice.txt', 'again', 'x'),
  all: edit('twice.txt', 'again', '$&', { all: true }),
  hugeOld: edit('text.txt', 'some words that are not there\n'.repeat(10_000), 'x'),
  through: edit('link-in', 'four', '4'),
  secret: edit('.env', 'planted', 'x'),
  linkOut: edit('link-out', 'root', 'x'),
  gitConfig: edit('.git/config', 'bare', 'x'),
  created: use('write_file', { path: 'new/deep/file.txt', content: 'made\r\n' }),
  replaced: use('write_file', { path: 'empty.txt', content: 'small' }),
  writtenSecret: use('write_file', { path: 'deep/.env.local', content: 'x' }),
  writtenTooLarge: use('write_file', { path: 'huge.txt', content: 'é'.repeat(mebibyte / 2 + 1) }),
  writtenAbove: use('write_file', { path: '../outside.txt', content: 'x' }),
  writtenHook: use('write_file', { path: '.git/hooks/pre-commit', content: 'x' }),
  writtenIgnored: use('write_file', { path: 'build/out.txt', content: 'x' }),
  moved: use('move_file', { from: 'move-me.txt', to: 'moved/here.txt' }),
  movedOver: use('move_file', { from: 'text.txt', to: 'empty.txt' }),
  movedNothing: use('move_file', { from: 'no-such-file', to: 'x' }),
  movedToIgnored: use('move_file', { from: 'move-me-too.txt', to: 'build/moved.txt' }),
  deleted: use('delete_file', { path: 'delete-me.txt' }),
  deletedNothing: use('delete_file', { path: 'delete-me.txt' }),
  deletedFolder: use('delete_file', { path: 'docs' }),
  fails: sh('echo out; echo err >&2; exit 3'),
  tooLong: sh('echo begun; sleep 60', { timeout_sec: 3 }),
  much: sh('seq 1 1000000'),
  leavesBehind: sh('(setsid sleep 4321 >/dev/null 2>&1 &); sleep 4322 & echo begun'),
  isAlone: sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '"),
  makesMany: sh('mkdir many && cd many && seq 1 1005 | xargs touch'),
  listMany: use('list_files', { pattern: 'many/*' }),
  searchMany: sh('rm -r many; seq 1 250 > many.txt'),
  searchCapped: use('search_files', { pattern: '[0-9]', glob: 'many.txt' }),
  killsAll: sh('rm many.txt; kill -9 -1'),
  afterwards: sh('echo still here'),
  diff: use('get_diff', {}),
  diffOfOne: use('get_diff', { path: 'crlf.txt' }),
  large: use('write_file', { path: 'large.txt', content: 'line\n'.repeat(50_000) }),
  diffOfLarge: use('get_diff', { path: 'large.txt' }),
  noLonger: use('delete_file', { path: 'large.txt' }),
} satisfies Calls

let fixture: Fixture
let conversation: Conversation
let planned: Readonly<Record<keyof typeof planning, ToolResult>>
let coded: Readonly<Record<keyof typeof coding, ToolResult>>
let workspace: string

beforeAll(async () => {
  fixture = await createFixture({
    steps: [{ name: 'test', command: 'true' }],
    files: {
      'text.txt': 'one\ntwo\nthree\nfour\n',
      'empty.txt': '',
      'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
      'bom.txt': '\uFEFFone\ntwo\n',
      'no-final-newline.txt': 'one\ntwo',
      'twice.txt': 'again and again\n',
      'largest.txt': `first\n${'x'.repeat(mebibyte - 6)}`,
      'too-large.txt': 'x'.repeat(mebibyte + 1),
      'run.sh': '#!/bin/sh\necho old\n',
      'docs/a.md': '# A\n',
      'docs/deep/b.md': '# B\n',
      '.env': 'KEY=planted-canary\n',
      '.env.example': 'KEY=\n',
      'move-me.txt': 'moved\n',
      'move-me-too.txt': 'moved\n',
      'delete-me.txt': 'deleted\n',
      '.gitignore': 'build/\n',
    },
  })
  const at = (path: string) => join(fixture.repo, path)
  await writeFile(at('latin1.txt'), latin1)
  await writeFile(at('binary.bin'), binary)
  await chmod(at('run.sh'), 0o755)
  await symlink('/etc/passwd', at('link-out'))
  await symlink('.env', at('link-to-secret'))
  await symlink('text.txt', at('link-in'))
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'files of all kinds')
  const model = await fixture.replay({
    'editor/task/PLANNING': [{ calls: Object.values(planning).flatMap(({ calls }) => calls) }, plan()],
    'editor/task/CODING': [{ calls: Object.values(coding).flatMap(({ calls }) => calls) }, change()],
  })
  const done = await fixture.drydock('task', 'use every tool', '--json', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  conversation = conversationOf(fixture, done)
  planned = named(planning, await conversation.results('editor/task/PLANNING'))
  coded = named(coding, await conversation.results('editor/task/CODING'))
  workspace = (await fixture.open()).workTrees.path('coder-001')
})
afterAll(() => fixture.remove())

function named<Names extends Calls>(calls: Names, results: readonly ToolResult[]) {
  const entries = Object.keys(calls).map((name, i) => [name, results[i]] as const)
  return Object.fromEntries(entries) as Readonly<Record<keyof Names, ToolResult>>
}

const refusal = (words: string | RegExp) => ({ ok: false, output: expect.stringMatching(words) })
const bytes = (path: string) => readFile(join(workspace, path))

describe('read_file', () => {
  test('numbers the lines', () => {
    expect(planned.whole).toMatchObject({ ok: true, output: '1\tone\n2\ttwo\n3\tthree\n4\tfour' })
  })

  test('shows a part and says where it goes on', () => {
    expect(planned.part.output).toBe('2\ttwo\n3\tthree\n(lines 2-3 of 4; continue with offset 4)')
    expect(planned.beyond.output).toBe('(the file has 4 lines)')
    expect(planned.empty.output).toBe('(the file is empty)')
  })

  test('shows lines that end with CRLF as lines', () => {
    expect(planned.crlf.output).toBe('1\tone\n2\ttwo\n3\tthree')
  })

  test('reads up to a mebibyte and refuses a byte more', () => {
    expect(planned.largest).toMatchObject({ ok: true, output: '1\tfirst\n(lines 1-1 of 2; continue with offset 2)' })
    expect(planned.tooLarge).toMatchObject(refusal('too-large.txt has 1048577 bytes; at most 1048576 are read'))
  })

  test('refuses binary files and text that is not UTF-8', () => {
    expect(planned.binary).toMatchObject(refusal('binary file of 5 bytes'))
    expect(planned.latin1).toMatchObject(refusal('not UTF-8'))
  })

  test('refuses files whose name says that they hold secrets, also through a link', () => {
    expect(planned.secret).toMatchObject(refusal('files of this name hold secrets'))
    expect(planned.linkToSecret).toMatchObject(refusal('leads to .env, which holds secrets'))
    expect(planned.example).toMatchObject({ ok: true, output: '1\tKEY=' })
  })

  test('follows links within the workspace and none that leaves it', () => {
    expect(planned.linkIn).toMatchObject({ ok: true, output: planned.whole.output })
    expect(planned.linkOut).toMatchObject(refusal('leads out of the workspace'))
    expect(planned.above).toMatchObject(refusal('leads out of the workspace'))
  })

  test('refuses folders, what is not there, and .git', () => {
    expect(planned.folder).toMatchObject(refusal('not a regular file'))
    expect(planned.missing).toMatchObject(refusal('no such file'))
    expect(planned.git).toMatchObject(refusal('.git is not part of the change'))
  })

  test('refuses logs of verifications that are not of this story', () => {
    expect(planned.noArtifact).toMatchObject(refusal('is not a log of this story'))
  })
})

describe('list_files', () => {
  test('finds a pattern without a slash at any depth, and nothing of .git', () => {
    expect(planned.list.output).toBe('docs/a.md\ndocs/deep/b.md')
    expect(planned.listNothing.output).toBe('(no file matches)')
    expect(planned.listGit.output).toBe('(no file matches)')
  })

  test('stops at a thousand', () => {
    const lines = coded.listMany.output.split('\n')
    expect(lines).toHaveLength(limits.listResults + 1)
    expect(lines.at(-1)).toBe('(cut at 1000; use a narrower pattern)')
  })
})

describe('search_files', () => {
  test('finds a regular expression, with file and line', () => {
    expect(planned.search.output).toBe('text.txt:2: two\ntext.txt:3: three')
    expect(planned.searchNothing.output).toBe('(no match)')
  })

  test('shows nothing of files that hold secrets', () => {
    expect(planned.searchSecret.output).toBe('(no match)')
  })

  test('says what is wrong with a pattern', () => {
    expect(planned.searchBroken).toMatchObject(refusal('regex parse error'))
  })

  test('stops at two hundred', () => {
    const lines = coded.searchCapped.output.split('\n')
    expect(lines).toHaveLength(limits.searchResults + 1)
    expect(lines.at(-1)).toBe('(cut at 200; use a narrower pattern or glob)')
  })
})

describe('edit_file', () => {
  test('keeps CRLF, a byte order mark and a missing final newline', async () => {
    expect(await bytes('crlf.txt')).toEqual(Buffer.from('one\r\n2\r\n3\r\n4\r\n'))
    expect(await bytes('bom.txt')).toEqual(Buffer.from('\uFEFF1\ntwo\n'))
    expect(await bytes('no-final-newline.txt')).toEqual(Buffer.from('one\n2'))
  })

  test('leaves binary files and text that is not UTF-8 as they are', async () => {
    expect(coded.latin1).toMatchObject(refusal('not UTF-8'))
    expect(coded.binary).toMatchObject(refusal('binary'))
    expect(await bytes('latin1.txt')).toEqual(latin1)
    expect(await bytes('binary.bin')).toEqual(binary)
  })

  test('keeps a file executable', async () => {
    expect(await bytes('run.sh')).toEqual(Buffer.from('#!/bin/sh\necho new\n'))
    expect((await stat(join(workspace, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect(await fixture.git('ls-tree', 'drydock/use-every-tool', 'run.sh')).toMatch(/^100755 /)
  })

  test('says where the text nearly is, or that it is there more than once', () => {
    expect(coded.unlike).toMatchObject(refusal('nearest match:\n4\tfour'))
    expect(coded.twice).toMatchObject(refusal('not unique: it occurs at lines 1, 1'))
    expect(coded.hugeOld).toMatchObject(refusal('is not in the file'))
  })

  test('replaces every place when it is told to', async () => {
    expect(coded.all).toMatchObject({ ok: true, output: 'Edited twice.txt in 2 places.' })
    expect(String(await bytes('twice.txt'))).toBe('$& and $&\n')
  })

  test('follows a link that stays inside and keeps it a link', async () => {
    expect(String(await bytes('text.txt'))).toBe('one\ntwo\nthree\n4\n')
    expect(await fixture.git('ls-tree', 'drydock/use-every-tool', 'link-in')).toMatch(/^120000 /)
  })

  test('refuses secret files, links that lead out, and .git', () => {
    expect(coded.secret).toMatchObject(refusal('hold secrets'))
    expect(coded.linkOut).toMatchObject(refusal('leads out of the workspace'))
    expect(coded.gitConfig).toMatchObject(refusal('.git is not part of the change'))
  })
})

describe('write_file, move_file and delete_file', () => {
  test('write what they are given, byte by byte, and make folders', async () => {
    expect(coded.created.output).toBe('Created new/deep/file.txt.')
    expect(await bytes('new/deep/file.txt')).toEqual(Buffer.from('made\r\n'))
    expect(coded.replaced.output).toBe('Replaced empty.txt.')
    expect(String(await bytes('empty.txt'))).toBe('small')
  })

  test('write no secrets, nothing too large, nothing outside and no hook', () => {
    expect(coded.writtenSecret).toMatchObject(refusal('hold secrets'))
    expect(coded.writtenTooLarge).toMatchObject(refusal('larger than 1048576 bytes'))
    expect(coded.writtenAbove).toMatchObject(refusal('leads out of the workspace'))
    expect(coded.writtenHook).toMatchObject(refusal('.git is not part of the change'))
  })

  test('say when git ignores what they wrote', () => {
    const notPart = 'ignored by git: not part of the change'
    expect(coded.writtenIgnored).toMatchObject({
      ok: true,
      output: `Created build/out.txt.\nbuild/out.txt: ${notPart}`,
    })
    expect(coded.movedToIgnored.output).toContain(`build/moved.txt: ${notPart}`)
  })

  test('move a file to a place that is free', async () => {
    expect(coded.moved).toMatchObject({ ok: true, output: 'Moved move-me.txt to moved/here.txt.' })
    expect(String(await bytes('moved/here.txt'))).toBe('moved\n')
    expect(coded.movedOver).toMatchObject(refusal('empty.txt already exists'))
    expect(coded.movedNothing).toMatchObject(refusal('no-such-file does not exist'))
  })

  test('delete a file, and no folder', async () => {
    expect(coded.deleted).toMatchObject({ ok: true, output: 'Deleted delete-me.txt.' })
    expect(coded.deletedNothing).toMatchObject(refusal('does not exist'))
    expect(coded.deletedFolder).toMatchObject(refusal('not a regular file'))
  })

  test('are in the change exactly as they were answered', async () => {
    const changed = await fixture.git('diff', '--name-status', '--no-renames', 'main', 'drydock/use-every-tool')
    expect(changed.split('\n').sort()).toEqual([
      'A\tmoved/here.txt',
      'A\tnew/deep/file.txt',
      'D\tdelete-me.txt',
      'D\tmove-me-too.txt',
      'D\tmove-me.txt',
      'M\tbom.txt',
      'M\tcrlf.txt',
      'M\tempty.txt',
      'M\tno-final-newline.txt',
      'M\trun.sh',
      'M\ttext.txt',
      'M\ttwice.txt',
    ])
  })
})

describe('run_command', () => {
  test('can write nothing while planning', () => {
    expect(planned.readOnly).toMatchObject(refusal('[Rr]ead-only file system'))
    expect(planned.looks).toMatchObject({ ok: true, output: 'one\ntwo\nthree\nfour\n(exit code 0)' })
  })

  test('tells both outputs and the exit code', () => {
    expect(coded.fails).toMatchObject({ ok: false, output: 'out\nerr\n(exit code 3)' })
  })

  test('is killed when its time is over', async () => {
    expect(coded.tooLong).toMatchObject({
      ok: false,
      output: 'begun\n(timed out after 3 s and was killed; timeout_sec may be up to 600)',
    })
    const index = Object.keys(coding).indexOf('tooLong')
    const { durationMs } = await conversation.execution('editor/task/CODING', 0, index)
    expect(durationMs).toBeGreaterThanOrEqual(3_000)
  })

  test('keeps head and tail of what it prints, and says where the rest can be read', () => {
    const { output } = coded.much
    expect(output.length).toBeLessThanOrEqual(limits.commandShownChars + limits.toolResultFrame)
    expect(output.startsWith('1\n2\n3\n')).toBe(true)
    expect(output.endsWith('\n999999\n1000000\n(exit code 0)')).toBe(true)
    expect(output.match(/left out/g)).toHaveLength(1)
  })

  test('leaves nothing alive', () => {
    expect(coded.leavesBehind).toMatchObject({ ok: true, output: 'begun\n(exit code 0)' })
    expect(coded.isAlone.output).toContain('cat /proc')
    expect(coded.isAlone.output).not.toContain('432')
  })

  test('that kills its own sandbox is an error to the model, and the next has a new one', () => {
    expect(coded.killsAll).toMatchObject(refusal('The sandbox has ended. A new one is opened for the next call'))
    expect(coded.afterwards).toMatchObject({ ok: true, output: 'still here\n(exit code 0)' })
  })
})

describe('get_diff', () => {
  test('names both commits, and they exist', async () => {
    const base = await fixture.git('rev-parse', 'main')
    const head = new RegExp(`^base ${base}\nsnapshot ([0-9a-f]{40})\ntruncated false\n`)
    const [, snapshot = ''] = head.exec(coded.diff.output) ?? []
    const { state } = await fixture.open()
    expect(await fixture.git('--git-dir', join(state, 'mirror.git'), 'cat-file', '-t', snapshot)).toBe('commit')
    expect(planned.noDiff.output).toContain(`base ${base}\n`)
    expect(planned.noDiff.output).toContain('(no change)')
  })

  test('shows all that changed, or one file of it', () => {
    expect(coded.diff.output).toContain('+++ b/new/deep/file.txt')
    expect(coded.diffOfOne.output.match(/^diff --git/gm)).toHaveLength(1)
    expect(coded.diffOfOne.output).toContain('+2\r')
  })

  test('says that it was cut, and is cut only at its end', () => {
    const { output } = coded.diffOfLarge
    expect(output.split('\n')[2]).toBe('truncated true')
    expect(output.length).toBeLessThanOrEqual(limits.toolResultChars)
    expect(output).not.toContain('left out')
  })
})

describe('every call', () => {
  test('leaves a row with session, lane, arguments, result, duration and success', async () => {
    for (const [lane, calls, results] of [
      ['editor/task/PLANNING', planning, planned],
      ['editor/task/CODING', coding, coded],
    ] as const) {
      const all = Object.entries(calls as Calls)
      for (const [index, [name, { calls: asked }]] of all.entries()) {
        const result = (results as Readonly<Record<string, ToolResult>>)[name]
        const row = await conversation.execution(lane, 0, index)
        expect(row, name).toMatchObject({
          session: conversation.run,
          lane: `${conversation.run}/${lane}`,
          story: 'task',
          tool: asked[0]?.tool,
          arguments: asked[0]?.input,
          success: result?.ok,
          finishedAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
        })
        expect(row.durationMs).toBeGreaterThanOrEqual(0)
        expect(row.result?.slice(0, 1_000)).toBe(result?.output.slice(0, 1_000))
      }
    }
  })

  test('leaves a row also when it ends the lane', async () => {
    expect(await conversation.execution('editor/task/PLANNING', 1)).toMatchObject({
      tool: 'submit_plan',
      success: true,
    })
    expect(await conversation.execution('editor/task/CODING', 1)).toMatchObject({
      tool: 'submit_change',
      success: true,
    })
  })

  test('of an edit stores the hashes of before and after', async () => {
    const index = Object.keys(coding).indexOf('moved')
    const sha = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect((await conversation.execution('editor/task/CODING', 0, index)).expectation).toEqual([
      { path: 'move-me.txt', before: sha, after: null },
      { path: 'moved/here.txt', before: null, after: sha },
    ])
  })
})
