import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
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

test('a .git file that points to a hostile git directory is not followed', async () => {
  const { workspace, command, mark, everything } = await attacked()
  execFileSync('mv', [join(workspace, '.git'), join(workspace, 'elsewhere')])
  appendFileSync(join(workspace, 'elsewhere', 'config'), hostileConfig(command))
  writeFiles(workspace, { '.git': 'gitdir: elsewhere\n' })
  await everything()
  expect(existsSync(mark)).toBe(false)
})

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
  test('git runs nothing of what is set aside, wherever it is started there', async () => {
    const { workspace, workTrees, state, tip, signal, command, mark } = await attacked()
    execFileSync('git', ['init', '--quiet', join(workspace, 'src/nested')])
    execFileSync('git', ['init', '--quiet', '--bare', join(workspace, 'bare')])
    for (const config of ['src/nested/.git/config', 'bare/config'])
      appendFileSync(join(workspace, config), hostileConfig(command))
    // Git refuses this file, so the whole workspace is set aside.
    writeFiles(workspace, { 'enc.txt': 'x', '.gitattributes': 'enc.txt working-tree-encoding=UTF-16' })
    const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/kept/1', last: null, message: 'kept', at }
    expect(await workTrees.snapshot({ ...input, setAside: true }, signal)).toMatchObject({ ok: false })
    const aside = join(state, 'set-aside')
    const folders = readdirSync(aside, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { parentPath, name } of folders) {
      // Git may fail, since the folder may be outside of any repository.
      spawnSync('git', ['status'], { cwd: join(parentPath, name) })
      spawnSync('git', ['log'], { cwd: join(parentPath, name) })
    }
    expect(existsSync(mark)).toBe(false)
    expect(folders.map(({ name }) => name)).toEqual(expect.arrayContaining(['nested', 'bare', '.git.set-aside']))
  })

test('an ignored nested repository is not part of the change', async () => {
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

/** Size of a folder on disk in bytes. */
function bytesOf(folder: string): number {
  return Number(execFileSync('du', ['-s', '--block-size=1', folder], { encoding: 'utf8' }).split('\t')[0])
}
