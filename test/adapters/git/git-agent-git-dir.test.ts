import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { excludedPatterns } from '../../../src/domain/story/context-folder.ts'
import { makeReadyWorld, makeWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})

const project = { '.gitignore': 'node_modules/\n*.log\n', 'README.md': 'one\n', 'src/a.ts': 'export const a = 1\n' }

describe('the .git that an agent gets', () => {
  test('holds the history of the tip and nothing else, and points nowhere', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, userRepository, tip, snapshot, gitIn, git, signal, top } = world
    git('branch', 'private')
    git('tag', 'v1')
    writeFiles(workspace, { 'secret.txt': 'of another story\n' })
    const kept = await snapshot()
    if (!kept.ok) throw new Error(kept.reason)
    await userRepository.updateMirror(signal)
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    const gitDir = join(workspace, '.git')
    expect(gitIn(workspace, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n')).toEqual([
      `refs/heads/coder-001 ${tip}`,
      `refs/tags/v1 ${tip}`,
    ])
    expect(gitIn(workspace, 'symbolic-ref', 'HEAD')).toBe('refs/heads/coder-001')
    expect(() => gitIn(workspace, 'cat-file', '-e', kept.snapshot.sha)).toThrow()
    expect(readFileSync(join(gitDir, 'objects/info/alternates'), 'utf8')).toBe('../../../coder-001.history\n')
    expect(readFileSync(join(gitDir, 'info/exclude'), 'utf8')).toBe(excludedPatterns)
    expect(gitIn(workspace, 'fsck', '--full')).toBe('')
    expect(() => execFileSync('grep', ['-r', '-l', '-F', top, gitDir])).toThrow()
  })

  test('shares no inode: what it borrows is beside the workspace, as links to the clone', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, tip, signal } = world
    const links = (directory: string) => execFileSync('find', [directory, '-type', 'f', '-links', '+1']).toString()
    expect(links(join(workspace, '.git'))).toBe('')
    const slots = ['coder-001', 'coder-002']
    await workTrees.initialize(slots)
    for (const slot of slots) await workTrees.prepare({ slot, tip }, signal)
    const [first, second] = slots.map((slot) => {
      const packs = join(workTrees.history(slot), 'pack')
      return readdirSync(packs)
        .sort()
        .map((name) => [name, statSync(join(packs, name)).ino])
    })
    expect(first).toEqual(second)
    expect(first).not.toEqual([])
  })

  test('has its own copy where links cannot be made', async ({ skip }) => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, tip, signal, gitIn, state } = world
    const elsewhere = ['/dev/shm', '/var/tmp'].find((path) => statSync(path).dev !== statSync(state).dev)
    if (elsewhere === undefined) return skip('all is on one file system')
    const folder = mkdtempSync(join(elsewhere, 'drydock-history-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const history = workTrees.history('coder-001')
    rmSync(history, { recursive: true })
    symlinkSync(folder, history)
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(readdirSync(join(folder, 'pack'))).toEqual([])
    expect(existsSync(join(workspace, '.git/objects/info/alternates'))).toBe(false)
    expect(gitIn(workspace, 'fsck', '--full')).toBe('')
  })

  test('keeps what it borrows whatever becomes of the clone, the mirror and the user’s objects', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, history, state, repository, git, gitIn, signal } = world
    git('checkout', '--quiet', '--orphan', 'other')
    git('commit', '--quiet', '--message', 'other')
    git('branch', '--quiet', '-D', 'main')
    git('reflog', 'expire', '--expire=now', '--all')
    git('gc', '--quiet', '--prune=now')
    await history.tidy(signal)
    expect(gitIn(workspace, 'fsck', '--full')).toBe('')
    for (const gone of [join(state, 'clones'), join(state, 'mirror.git'), repository]) rmSync(gone, { recursive: true })
    expect(gitIn(workspace, 'fsck', '--full')).toBe('')
    writeFiles(workspace, { 'README.md': 'two\n' })
    gitIn(workspace, 'commit', '--quiet', '--all', '--message', 'mine')
    gitIn(workspace, 'gc', '--quiet', '--prune=now')
    expect(gitIn(workspace, 'log', '--format=%s')).toBe('mine\na commit')
  })

  test('has its objects as the one pack that came, and a checkout gets no further pack for each commit', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, state, snapshot, signal, tip } = world
    const packs = (gitDir: string) =>
      readdirSync(join(gitDir, 'objects'), { recursive: true })
        .map((name) => String(name).replace(/[0-9a-f]{38,}/, 'x'))
        .filter((name) => name.includes('/') && !/\.(?:rev|keep)$/.test(name))
        .sort()
    const onePack = ['pack/pack-x.idx', 'pack/pack-x.pack']
    expect(packs(join(workspace, '.git'))).toEqual(['info/alternates'])
    expect(readdirSync(join(workTrees.history('coder-001'), 'pack')).length).toBeGreaterThanOrEqual(onePack.length)
    expect(packs(join(state, 'mirror.git'))).toEqual(packs(join(world.repository, '.git')))
    const checkout = await workTrees.checkout('c', tip, signal)
    expect(packs(join(checkout, '.git'))).toEqual(onePack)
    writeFiles(workspace, { 'README.md': 'two\n' })
    const kept = await snapshot()
    if (!kept.ok) throw new Error(kept.reason)
    await workTrees.checkout('c', kept.snapshot.sha, signal)
    expect(packs(join(checkout, '.git')).filter((name) => name.endsWith('.pack'))).toEqual(['pack/pack-x.pack'])
  })

  test('is whole again whatever an agent wrote into the files of the one before', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, tip, signal, gitIn } = world
    const gitDir = join(workspace, '.git')
    for (const path of readdirSync(gitDir, { recursive: true }).map((name) => join(gitDir, String(name)))) {
      if (!statSync(path).isFile()) continue
      chmodSync(path, 0o600)
      writeFileSync(path, 'spoiled')
    }
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(gitIn(workspace, 'fsck', '--full')).toBe('')
    expect(gitIn(workspace, 'status', '--porcelain')).toBe('')
  })

  test('is whole although a process was killed while it made one for the same commit', async () => {
    const world = makeWorld(project)
    worlds.push(world)
    const { workTrees, userRepository, repository, state, environment, signal, gitIn } = world
    await workTrees.initialize(['coder-001'])
    await userRepository.updateMirror(signal)
    const { sha: tip } = await userRepository.target(null)
    const script = join(world.top, 'prepare.ts')
    const module = join(import.meta.dirname, '../../../src/adapters/git/git-ports.ts')
    const options = JSON.stringify({ repository, state, environment })
    writeFileSync(
      script,
      `import { createGitPorts } from ${JSON.stringify(module)}
      const { workTrees } = createGitPorts(${options})
      await workTrees.prepare({ slot: 'coder-001', tip: ${JSON.stringify(tip)} }, new AbortController().signal)`,
    )
    const scratch = join(state, 'scratch', 'clone')
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] })
    const exit = once(child, 'exit')
    while (!existsSync(scratch) && child.exitCode === null) await new Promise(setImmediate)
    child.kill('SIGKILL')
    await exit
    expect(existsSync(scratch)).toBe(true)
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(gitIn(workTrees.path('coder-001'), 'fsck', '--full')).toBe('')
    expect(gitIn(workTrees.path('coder-001'), 'status', '--porcelain')).toBe('')
  })

  test('is created again when the machine has restarted since', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, state, tip, signal, gitIn } = world
    const [name = ''] = readdirSync(join(state, 'clones'))
    const clone = join(state, 'clones', name)
    writeFileSync(join(clone, 'config'), '')
    utimesSync(clone, 0, 0)
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(gitIn(workspace, 'config', 'core.logallrefupdates')).toBe('true')
  })

  test('takes commits of the agent, which the next preparation drops', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, gitIn, tip, signal } = world
    writeFiles(workspace, { 'README.md': 'two\n' })
    gitIn(workspace, 'commit', '--quiet', '--all', '--message', 'mine')
    expect(gitIn(workspace, 'rev-parse', 'HEAD^')).toBe(tip)
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(gitIn(workspace, 'rev-parse', 'HEAD')).toBe(tip)
    expect(gitIn(workspace, 'status', '--porcelain')).toBe('')
  })
})
