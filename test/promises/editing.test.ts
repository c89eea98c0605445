import { chmod, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolResult } from '../../src/domain/lane/message.ts'
import { conversationOf } from '../scenarios/world/conversation.ts'
import { call, change, createFixture, type Fixture, plan } from '../scenarios/world/fixture.ts'

type Calls = Readonly<Record<string, { readonly calls: readonly { readonly tool: string; readonly input: object }[] }>>

const edit = (path: string, input: object) => call('edit_file', { path, ...input }) as Calls[string]

const patch = (...lines: readonly string[]) =>
  call('apply_patch', { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') }) as Calls[string]

const windows = 'function f() {\r\n\treturn 1 \r\n}\r\n'
const coding = {
  tolerant: edit('windows.js', {
    old: 'function f() {\n    return 1\n}',
    new: 'function f() {\n    if (x) {\n        return 2\n    }\n    return 1\n}',
  }),
  several: edit('list.txt', { old: 'c', new: 'C', more: [{ old: 'a', new: 'A' }] }),
  halfWrong: edit('list.txt', { old: 'b', new: 'B', more: [{ old: 'no such line', new: 'x' }] }),
  overlapping: edit('list.txt', { old: 'A\nb', new: 'x', more: [{ old: 'b\nC', new: 'y' }] }),
  ambiguous: edit('twice.py', { old: '  go()  ', new: '  stop()' }),
  badMore: edit('list.txt', { old: 'b', new: 'B', more: [{ old: 'b' }] }),
  patched: patch(
    '*** Update File: run.sh',
    '*** Move to: bin/run.sh',
    '@@',
    '-echo old',
    '+echo new',
    '*** Add File: docs/new.md',
    '+# New',
    '*** Delete File: old.txt',
    '*** Update File: two.txt',
    '-two',
    '+2',
  ),
  patchedIgnored: patch('*** Add File: build/out.txt', '+x'),
  halfPatched: patch('*** Update File: two.txt', '-2', '+3', '*** Update File: list.txt', '-no such line', '+x'),
  patchedOver: patch('*** Update File: two.txt', '-2', '+3', '*** Add File: list.txt', '+x'),
  movedOver: patch('*** Update File: two.txt', '*** Move to: list.txt', '-2', '+3'),
  patchedAway: patch('*** Add File: made-for-nothing/a.txt', '+x', '*** Delete File: no-such-file'),
  patchedOutside: patch('*** Update File: two.txt', '-2', '+3', '*** Add File: ../outside.txt', '+x'),
  patchedHook: patch('*** Add File: .git/hooks/pre-commit', '+x'),
  patchedSecret: patch('*** Update File: two.txt', '*** Move to: .env', '-2', '+3'),
  readSecret: patch('*** Update File: .env', '*** Move to: shown.txt', '-KEY=planted', '+x'),
  patchedLink: patch('*** Update File: link-out', '-root', '+x'),
  unreadable: patch('--- a/two.txt', '+++ b/two.txt'),
  hidden: patch('*** Update File: two.txt', '-2', '+[redacted by drydock]'),
} satisfies Calls

let fixture: Fixture
let coded: Readonly<Record<keyof typeof coding, ToolResult>>
let workspace: string
beforeAll(async () => {
  fixture = await createFixture({
    steps: [{ name: 'test', command: 'true' }],
    files: {
      'windows.js': windows,
      'list.txt': 'a\nb\nc\n',
      'run.sh': '#!/bin/sh\necho old\n',
      'old.txt': 'old\n',
      'two.txt': 'one\ntwo\n',
      '.env': 'KEY=planted\n',
      '.gitignore': 'build/\n',
      'twice.py': 'if a:\n    go()\nif b:\n    go()\n',
    },
  })
  await chmod(join(fixture.repo, 'run.sh'), 0o755)
  await symlink('/etc/passwd', join(fixture.repo, 'link-out'))
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'a program and a link')
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [{ calls: Object.values(coding).flatMap(({ calls }) => calls) }, change()],
  })
  const done = await fixture.drydock('task', 'edit files', '--json', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  const results = await conversationOf(fixture, done).results('editor/task/CODING')
  coded = Object.fromEntries(Object.keys(coding).map((name, i) => [name, results[i]])) as Readonly<
    Record<keyof typeof coding, ToolResult>
  >
  workspace = (await fixture.open()).workTrees.path('coder-001')
})
afterAll(() => fixture.remove())

const file = (path: string) => readFile(join(workspace, path), 'utf8')
const refusal = (words: string) => ({ ok: false, output: expect.stringContaining(words) })

describe('edit_file', () => {
  test('finds lines with other white space, and keeps that of the file', async () => {
    expect(coded.tolerant).toMatchObject({
      ok: true,
      output: "Edited windows.js in 1 place.\nThe indentation was not as you gave it. The file's own was kept.",
    })
    expect(await file('windows.js')).toBe(windows.replace('\treturn', '\tif (x) {\r\n\t\treturn 2\r\n\t}\r\n\treturn'))
  })

  test('makes several edits of a file together, or none', async () => {
    expect(coded.several).toMatchObject({ ok: true, output: 'Edited list.txt in 2 places.' })
    expect(coded.halfWrong).toMatchObject(refusal('list.txt: no edit was made. Edit 2: `old` is not in the file'))
    expect(coded.overlapping).toMatchObject(refusal('Edit 2: it changes line 2, as edit 1 does'))
    expect(coded.badMore).toMatchObject(refusal('more.0.new'))
    expect(await file('list.txt')).toBe('A\nb\nC\n')
  })

  test('names the places when other white space fits several', async () => {
    expect(coded.ambiguous).toMatchObject(refusal('it occurs at lines 2, 4'))
    expect(await file('twice.py')).toContain('if b:\n    go()')
  })
})

describe('apply_patch', () => {
  test('adds, changes, moves and deletes files in one call', async () => {
    expect(coded.patched).toMatchObject({
      ok: true,
      output: 'Moved run.sh to bin/run.sh.\nAdded docs/new.md.\nDeleted old.txt.\nUpdated two.txt.',
    })
    expect(await file('bin/run.sh')).toBe('#!/bin/sh\necho new\n')
    expect((await stat(join(workspace, 'bin/run.sh'))).mode & 0o777).toBe(0o755)
    expect(coded.patchedIgnored.output).toContain('build/out.txt: ignored by git: not part of the change')
    const changed = await fixture.git('diff', '--name-status', '--no-renames', 'main', 'drydock/edit-files')
    expect(changed.split('\n').sort()).toEqual([
      'A\tbin/run.sh',
      'A\tdocs/new.md',
      'D\told.txt',
      'D\trun.sh',
      'M\tlist.txt',
      'M\ttwo.txt',
      'M\twindows.js',
    ])
  })

  test('changes nothing when a part of it does not fit', async () => {
    expect(coded.halfPatched).toMatchObject(refusal('Nothing was changed. list.txt: the lines of its hunk are not'))
    expect(coded.patchedOver).toMatchObject(refusal('list.txt exists already. Change it with `*** Update File:`'))
    expect(coded.movedOver).toMatchObject(refusal('list.txt exists already'))
    expect(coded.patchedAway).toMatchObject(refusal('no-such-file: it does not exist'))
    expect(coded.unreadable).toMatchObject(refusal('line 2, `--- a/two.txt`, begins no file'))
    expect(await file('two.txt')).toBe('one\n2\n')
    expect(await readdir(workspace)).not.toContain('made-for-nothing')
  })

  test('keeps to the workspace, and away from secrets, .git and what is hidden', async () => {
    expect(coded.patchedOutside).toMatchObject(refusal('leads out of the workspace'))
    expect(coded.patchedHook).toMatchObject(refusal('.git is not part of the change'))
    expect(coded.patchedSecret).toMatchObject(refusal('.env is not written: files of this name hold secrets'))
    expect(coded.readSecret).toMatchObject(refusal('files of this name hold secrets'))
    expect(coded.patchedLink).toMatchObject(refusal('leads out of the workspace'))
    expect(coded.hidden).toMatchObject(refusal('stands for a hidden key'))
    expect(await file('two.txt')).toBe('one\n2\n')
  })
})
