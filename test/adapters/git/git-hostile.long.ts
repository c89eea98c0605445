import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { at, makeReadyWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})

/**
 * A ready slot, a script that leaves a mark when anything runs it, and everything that Drydock does
 * with a workspace.
 */
async function attacked(
  files: Readonly<Record<string, string>> = { 'README.md': 'one\n', '.gitignore': 'node_modules/\n' },
) {
  const world = await makeReadyWorld(files)
  worlds.push(world)
  const { history, workTrees, tip, signal, snapshot, top } = world
  const mark = join(top, 'mark')
  const script = join(top, 'attack.sh')
  writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\ncat\n`, { mode: 0o755 })
  // Paths of configuration values are split at spaces, those of this script are not.
  const command = `'${script}'`
  const everything = async () => {
    const kept = await snapshot()
    await workTrees.ignored('coder-001', ['README.md', 'x.log'])
    if (kept.ok) {
      await history.diff({ from: tip, to: kept.snapshot.sha, maxBytes: 10_000 })
      await history.changedFiles(tip, kept.snapshot.sha)
      await workTrees.checkout('coder-001', kept.snapshot.sha, signal)
      await workTrees.prepare({ slot: 'coder-001', tip, tree: kept.snapshot.tree }, signal)
    }
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    return kept
  }
  return { ...world, mark, script, command, everything }
}

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

for (const [_how, _nest] of Object.entries({
  'a repository': (path: string) => execFileSync('git', ['init', '--quiet', path]),
  'a .git file': (path: string) => writeFiles(path, { '.git': 'gitdir: ../../.git\n' }),
  'an empty .git folder': (path: string) => mkdirSync(join(path, '.git'), { recursive: true }),
  'a link named .git': (path: string) => {
    mkdirSync(path, { recursive: true })
    symlinkSync('../../.git', join(path, '.git'))
  },
  'a .GIT folder': (path: string) => mkdirSync(join(path, '.GIT'), { recursive: true }),
}))
  test('what is set aside takes the place of nothing that the agent has named so', async () => {
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

test('a nested repository that is ignored is no part of the change', async () => {
  const { workspace, history, snapshot, command, tip, mark, everything } = await attacked()
  execFileSync('git', ['init', '--quiet', join(workspace, 'node_modules/dependency')])
  appendFileSync(join(workspace, 'node_modules/dependency/.git/config'), hostileConfig(command))
  writeFiles(workspace, { 'new.txt': 'x' })
  const kept = await snapshot()
  if (!kept.ok) throw new Error(kept.reason)
  expect(await history.changedFiles(tip, kept.snapshot.sha)).toEqual([{ path: 'new.txt', status: 'added' }])
  await everything()
  expect(existsSync(mark)).toBe(false)
})

test('an ignored folder with a tracked file in it may hold a repository only where nothing is tracked', async () => {
  const { workspace, snapshot } = await attacked()
  writeFiles(workspace, { '.gitignore': 'node_modules/\n!node_modules/\n' })
  execFileSync('git', ['init', '--quiet', join(workspace, 'node_modules/dependency')])
  expect(await snapshot()).toMatchObject({ ok: false })
})

test('text that cannot be converted as its attributes say is refused with git’s words', async () => {
  const { workspace, snapshot } = await attacked()
  writeFileSync(join(workspace, 'bad.txt'), Buffer.from([0x41, 0xd8, 0x00]))
  writeFiles(workspace, { '.gitattributes': 'bad.txt working-tree-encoding=UTF-16\n' })
  expect(await snapshot()).toEqual({ ok: false, reason: expect.stringContaining('bad.txt') })
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

/** Bytes on the disk. */
function bytesOf(folder: string): number {
  return Number(execFileSync('du', ['-s', '--block-size=1', folder], { encoding: 'utf8' }).split('\t')[0])
}
