import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { at, writeFiles } from './git-world.ts'
import { attacked } from './hostile-world.ts'

const hostileConfig = (command: string) => `[core]
	fsmonitor = ${command}
	hooksPath = hooks
	pager = ${command}
	editor = ${command}
	sshCommand = ${command}
	gitProxy = ${command}
	worktree = /
	attributesFile = ../attributes
[filter "evil"]
	clean = ${command}
	smudge = ${command}
	process = ${command}
	required = true
[diff "evil"]
	command = ${command}
	textconv = ${command}
[merge "evil"]
	driver = ${command}
[diff]
	external = ${command}
[uploadpack]
	packObjectsHook = ${command}
[alias]
	add = !${command}
`
const hooks = [
  'post-index-change',
  'pre-commit',
  'post-checkout',
  'reference-transaction',
  'pre-auto-gc',
  'fsmonitor-watchman',
]

test('configuration, hooks, filters and drivers of the workspace’s own .git are never run', async () => {
  const { workspace, command, script, mark, everything, gitIn } = await attacked()
  mkdirSync(join(workspace, '.git', 'hooks'), { recursive: true })
  for (const name of hooks) execFileSync('cp', [script, join(workspace, '.git', 'hooks', name)])
  writeFiles(workspace, { '.gitattributes': '* filter=evil diff=evil merge=evil\n', 'README.md': 'two\n' })
  appendFileSync(join(workspace, '.git', 'config'), hostileConfig(command).replace('worktree = /', ''))
  // Shows that the attack works on a git that trusts the workspace.
  expect(() => gitIn(workspace, 'add', '--all')).toThrow()
  expect(existsSync(mark)).toBe(true)
  rmSync(mark)
  appendFileSync(join(workspace, '.git', 'config'), '[core]\n\tworktree = /\n')
  expect((await everything()).ok).toBe(true)
  expect(existsSync(mark)).toBe(false)
})

for (const [how, nest] of Object.entries({
  'a repository': (path: string) => execFileSync('git', ['init', '--quiet', path]),
  'a .git file': (path: string) => writeFiles(path, { '.git': 'gitdir: ../../.git\n' }),
  'an empty .git folder': (path: string) => mkdirSync(join(path, '.git'), { recursive: true }),
  'a link named .git': (path: string) => {
    mkdirSync(path, { recursive: true })
    symlinkSync('../../.git', join(path, '.git'))
  },
  'a .GIT folder': (path: string) => mkdirSync(join(path, '.GIT'), { recursive: true }),
}))
  test(`${how} inside the workspace is refused by name`, async () => {
    const { workspace, snapshot, command, mark, everything } = await attacked()
    nest(join(workspace, 'src/nested'))
    const isRepository = existsSync(join(workspace, 'src/nested/.git/config'))
    if (isRepository) appendFileSync(join(workspace, 'src/nested/.git/config'), hostileConfig(command))
    expect(await snapshot()).toEqual({ ok: false, reason: expect.stringMatching(/src\/nested\/\.git/i) })
    if (isRepository) await everything()
    expect(existsSync(mark)).toBe(false)
  })

test('files that a snapshot refuses are set aside before a reset, and the rest is kept', async () => {
  const { workspace, history, workTrees, snapshot, state, tip, signal } = await attacked()
  execFileSync('git', ['init', '--quiet', join(workspace, 'src/nested')])
  writeFiles(workspace, { 'src/nested/work.txt': 'work' })
  rmSync(join(workspace, '.gitignore'))
  execFileSync('mkfifo', [join(workspace, '.gitignore')])
  expect(await snapshot()).toMatchObject({ ok: false })
  const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/kept/1', last: null, message: 'kept', at }
  const kept = await workTrees.snapshot({ ...input, setAside: true }, signal)
  if (!kept.ok) throw new Error(kept.reason)
  expect(await history.changedFiles(tip, kept.snapshot.sha)).toContainEqual({
    path: 'src/nested/work.txt',
    status: 'added',
  })
  const aside = readdirSync(join(state, 'set-aside'), { recursive: true }).map(String)
  expect(aside.filter((path) => path.endsWith('/.gitignore') || path.endsWith('/HEAD.set-aside'))).toHaveLength(2)
  expect(existsSync(join(workspace, 'src/nested/.git'))).toBe(false)
})

test('files set aside do not replace the agent’s files of the same name', async () => {
  const { workspace, workTrees, state, tip, signal } = await attacked()
  writeFiles(workspace, {
    'src/nested/.git/HEAD': 'head',
    'src/nested/.git/HEAD.set-aside': 'work',
    'src/other/.git/HEAD': 'head',
    'src/other/.git/HEAD.set-aside/deep': 'work',
  })
  const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/kept/1', last: null, message: 'kept', at }
  expect(await workTrees.snapshot({ ...input, setAside: true }, signal)).toMatchObject({ ok: true })
  const aside = join(state, 'set-aside')
  const files = readdirSync(aside, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
  expect(contents.sort()).toEqual(['head', 'head', 'work', 'work'])
})

test('files that git refuses are all set aside before a reset', async () => {
  const { workspace, workTrees, state, tip, signal } = await attacked()
  writeFiles(workspace, {
    'precious.txt': 'work',
    'enc.txt': 'x',
    '.gitattributes': 'enc.txt working-tree-encoding=UTF-16',
  })
  const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/kept/1', last: null, message: 'kept', at }
  expect(await workTrees.snapshot({ ...input, setAside: true }, signal)).toMatchObject({ ok: false })
  await workTrees.prepare({ slot: 'coder-001', tip }, signal)
  const aside = readdirSync(join(state, 'set-aside'), { recursive: true }).map(String)
  expect(aside.some((path) => path.endsWith('/precious.txt'))).toBe(true)
})

test('an ignored folder with a tracked file in it may hold a repository only where nothing is tracked', async () => {
  const { workspace, snapshot } = await attacked()
  writeFiles(workspace, { '.gitignore': 'node_modules/\n!node_modules/\n' })
  execFileSync('git', ['init', '--quiet', join(workspace, 'node_modules/dependency')])
  expect(await snapshot()).toMatchObject({ ok: false })
})

test('a pipe in place of an ignore or attributes file is refused, not waited for', async () => {
  for (const name of ['.gitignore', 'src/.gitattributes']) {
    const { workspace, snapshot } = await attacked()
    mkdirSync(join(workspace, 'src'))
    rmSync(join(workspace, name), { force: true })
    execFileSync('mkfifo', [join(workspace, name)])
    expect(await snapshot()).toEqual({ ok: false, reason: expect.stringContaining(name) })
  }
})

test('text that cannot be converted as its attributes say is refused with git’s words', async () => {
  const { workspace, snapshot } = await attacked()
  writeFileSync(join(workspace, 'bad.txt'), Buffer.from([0x41, 0xd8, 0x00]))
  writeFiles(workspace, { '.gitattributes': 'bad.txt working-tree-encoding=UTF-16\n' })
  expect(await snapshot()).toEqual({ ok: false, reason: expect.stringContaining('bad.txt') })
})

test('names that look like options, hold newlines or are not UTF-8 are kept', async () => {
  const { workspace, workTrees, userRepository, publisher, snapshot, tip, gitIn, state, signal, repository } =
    await attacked()
  const odd = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0x66, 0xff, 0xfe])])
  writeFileSync(odd, 'x')
  writeFiles(workspace, { '-rf': 'x', '--git-dir=x': 'x', 'a\nb': 'x', ':(exclude)*': 'x', '*': 'x', ' lead': 'x' })
  const kept = await snapshot()
  if (!kept.ok) throw new Error(kept.reason)
  const names = execFileSync('git', ['ls-tree', '-z', '--name-only', kept.snapshot.sha], {
    cwd: join(state, 'mirror.git'),
  })
  expect(names.toString('latin1').split('\0')).toEqual(
    expect.arrayContaining(['-rf', '--git-dir=x', 'a\nb', ':(exclude)*', '*', ' lead', 'f\xff\xfe', 'README.md']),
  )
  const path = await workTrees.checkout('base', kept.snapshot.sha, signal)
  expect(gitIn(path, 'status', '--porcelain')).toBe('')
  await publisher.publish('drydock/odd', kept.snapshot.sha, null)
  expect(await userRepository.applyToUserTree(tip, kept.snapshot.sha)).toMatchObject({ applied: true })
  expect(readdirSync(repository)).toEqual(expect.arrayContaining(['-rf', 'a\nb', '*']))
  expect(await userRepository.snapshotUserTree('refs/drydock/user', new Date(0))).toMatchObject({
    tree: kept.snapshot.tree,
  })
})

test('an agent’s changes to its own .git have no effect', async () => {
  const { workspace, snapshot, git, tip } = await attacked()
  rmSync(join(workspace, '.git', 'objects'), { recursive: true })
  writeFiles(workspace, {
    '.git/objects/info/alternates': '/nowhere\n',
    '.git/objects/pack/pack-0000000000000000000000000000000000000000.pack': 'garbage',
    '.git/objects/pack/pack-0000000000000000000000000000000000000000.idx': 'garbage',
    '.git/index': 'garbage',
    '.git/index.lock': '',
    '.git/HEAD': 'garbage',
    '.git/info/exclude': '*\n',
    'README.md': 'one\n',
    'new.txt': 'new\n',
  })
  const kept = await snapshot()
  if (!kept.ok) throw new Error(kept.reason)
  rmSync(join(workspace, 'new.txt'))
  expect(await snapshot()).toMatchObject({ ok: true, snapshot: { tree: git('rev-parse', `${tip}^{tree}`) } })
})

test('a folder that may not be entered is opened and kept', async () => {
  const { workspace, history, snapshot, tip } = await attacked()
  writeFiles(workspace, { 'locked/in/x.txt': 'x' })
  chmodSync(join(workspace, 'locked/in'), 0)
  chmodSync(join(workspace, 'locked'), 0)
  const kept = await snapshot()
  if (!kept.ok) throw new Error(kept.reason)
  expect(await history.changedFiles(tip, kept.snapshot.sha)).toEqual([{ path: 'locked/in/x.txt', status: 'added' }])
})

const mebibyte = 1_048_576

function sparse(path: string, size: number): void {
  writeFileSync(path, '')
  truncateSync(path, size)
}

test.each<[string, (workspace: string) => void, RegExp]>([
  ['one file that is too large', (w) => sparse(join(w, 'huge.bin'), 4_096 * mebibyte), /"huge.bin" 4096 MiB/],
  [
    'an ignore file that git would read whole',
    (w) => sparse(join(w, '.gitignore'), 1_500 * mebibyte),
    /cannot read "\.gitignore"/,
  ],
  [
    'a tracked file that has become too large',
    (w) => truncateSync(join(w, 'README.md'), 2_000 * mebibyte),
    /"README.md" 2000 MiB/,
  ],
])('a change that costs the agent nothing and the host much is refused: %s', async (_, make, reason) => {
  const { workspace, history, workTrees, snapshot, state, tip, signal } = await attacked()
  writeFiles(workspace, { 'work.txt': 'work' })
  make(workspace)
  const before = bytesOf(state)
  expect(await snapshot()).toEqual({ ok: false, reason: expect.stringMatching(reason) })
  expect(bytesOf(state) - before).toBeLessThan(mebibyte)
  const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/kept/1', last: null, message: 'kept', at }
  const kept = await workTrees.snapshot({ ...input, setAside: true }, signal)
  if (!kept.ok) throw new Error(kept.reason)
  expect(await history.changedFiles(tip, kept.snapshot.sha)).toContainEqual({ path: 'work.txt', status: 'added' })
  expect(bytesOf(state) - before).toBeLessThan(260 * mebibyte)
})

test('files that are too large together are refused', async () => {
  const { workspace, snapshot } = await attacked()
  for (let n = 0; n < 6; n += 1) sparse(join(workspace, `part-${n}.bin`), 60 * mebibyte)
  expect(await snapshot()).toEqual({
    ok: false,
    reason: expect.stringMatching(/too large to keep: 360 MiB in 6 files/),
  })
})

test('ignored files and files of the base do not count towards the size of a change', async () => {
  const { workspace, snapshot } = await attacked()
  writeFiles(workspace, { '.gitignore': 'data/\n', 'data/x': '' })
  sparse(join(workspace, 'data/huge.bin'), 4_096 * mebibyte)
  expect(await snapshot()).toMatchObject({ ok: true })
})

/** Size on disk in bytes. */
function bytesOf(folder: string): number {
  return Number(execFileSync('du', ['-s', '--block-size=1', folder], { encoding: 'utf8' }).split('\t')[0])
}
