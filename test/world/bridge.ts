import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { World } from '../adapters/git/git-world.ts'
import { createMemoryGit, createRepository, type Repository } from './git.ts'
import { createObjects, type Entry } from './objects.ts'

/** The memory ports behind a world of real git: what tests do by git or on the disk is taken over before each call. */
export function inMemory(world: World): World {
  const objects = createObjects()
  const memory = createMemoryGit(world.state, objects)
  const repository: Repository = createRepository(objects, world.repository, null)
  const { userRepository, publisher, workTrees } = memory.beside(repository)
  const git = (dir: string, args: string[], input?: string) =>
    execFileSync('git', args, {
      cwd: dir,
      env: world.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1e9,
      ...(input !== undefined && { input }),
    })
  const slots = new Set<string>()
  function takeObjects() {
    let shas: string[] = []
    try {
      shas = git(world.repository, ['rev-list', '--all', 'HEAD']).toString().split('\n').filter(Boolean)
    } catch {
      return
    }
    for (const sha of shas) {
      if (objects.commits.has(sha)) continue
      const raw = git(world.repository, ['cat-file', 'commit', sha]).toString()
      const [head = '', ...rest] = raw.split('\n\n')
      const tree = /^tree (\w+)/.exec(head)?.[1] ?? ''
      const files = new Map<string, Entry>()
      for (const line of git(world.repository, ['ls-tree', '-r', '-z', sha]).toString().split('\0').filter(Boolean)) {
        const [about = '', path = ''] = [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)]
        const [mode = '', type, object = ''] = about.split(' ')
        if (type === 'blob')
          files.set(path, { mode: mode as never, bytes: git(world.repository, ['cat-file', 'blob', object]) })
      }
      objects.trees.set(tree, files)
      objects.commits.set(sha, {
        sha,
        tree,
        parents: [...head.matchAll(/^parent (\w+)/gm)].map(([, each]) => each ?? ''),
        message: rest.join('\n\n').trimEnd(),
        at: new Date(Number(/^committer .* (\d+) /m.exec(head)?.[1]) * 1000),
      })
    }
    repository.branches.clear()
    repository.tags.clear()
    for (const line of git(world.repository, ['for-each-ref', '--format=%(refname) %(objectname) %(*objectname)'])
      .toString()
      .split('\n')
      .filter(Boolean)) {
      const [ref = '', sha = '', peeled = ''] = line.split(' ')
      if (ref.startsWith('refs/heads/')) repository.branches.set(ref.slice(11), sha)
      if (ref.startsWith('refs/tags/')) repository.tags.set(ref.slice(10), peeled || sha)
    }
    const head = readFileSync(join(world.repository, '.git/HEAD'), 'utf8').trim()
    repository.head = head.startsWith('ref: refs/heads/') ? { branch: head.slice(16) } : { sha: head }
  }
  function takeFolder(folder: string) {
    const work = new Map<string, Entry>()
    const visit = (at: string, prefix: string) => {
      for (const name of readdirSync(at)) {
        const [path, shown] = [join(at, name), prefix + name]
        if (shown === '.git') continue
        const stats = lstatSync(path)
        if (stats.isDirectory()) visit(path, `${shown}/`)
        else if (stats.isSymbolicLink()) work.set(shown, { mode: '120000', bytes: Buffer.from(readlinkSync(path)) })
        else if (stats.isFile())
          work.set(shown, { mode: stats.mode & 0o100 ? '100755' : '100644', bytes: readFileSync(path) })
      }
    }
    visit(folder, '')
    return work
  }
  function giveFolder(folder: string) {
    mkdirSync(folder, { recursive: true })
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
    for (const [path, { mode, bytes }] of memory.disk.get(folder) ?? []) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      if (mode === '120000') symlinkSync(bytes.toString(), join(folder, path))
      else writeFileSync(join(folder, path), bytes, { mode: mode === '100755' ? 0o755 : 0o644 })
    }
  }
  const before = () => {
    takeObjects()
    if (existsSync(world.repository)) repository.work = takeFolder(world.repository)
    for (const slot of slots)
      if (existsSync(workTrees.path(slot))) memory.disk.set(workTrees.path(slot), takeFolder(workTrees.path(slot)))
  }
  /** Makes a commit in a real repository, which proves that its name is right. */
  function giveCommit(dir: string, sha: string, given = new Set<string>()) {
    const commit = objects.commits.get(sha)
    if (commit === undefined || given.has(sha)) return
    given.add(sha)
    try {
      git(dir, ['cat-file', '-e', sha])
      return
    } catch {}
    for (const parent of commit.parents) giveCommit(dir, parent, given)
    const index = join(world.top, `index-${sha}`)
    const env = { ...world.environment, GIT_INDEX_FILE: index }
    const lines = [...objects.tree(sha)].map(
      ([path, { mode, bytes }]) =>
        `${mode} ${execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: dir, env, input: bytes }).toString().trim()}\t${path}`,
    )
    execFileSync('git', ['update-index', '-z', '--index-info'], {
      cwd: dir,
      env,
      input: lines.map((each) => `${each}\0`).join(''),
    })
    const tree = execFileSync('git', ['write-tree'], { cwd: dir, env }).toString().trim()
    if (tree !== commit.tree) throw new Error(`tree ${tree} instead of ${commit.tree}`)
    const date = `@${Math.floor(commit.at.getTime() / 1000)} +0000`
    const who = {
      GIT_AUTHOR_NAME: 'Drydock',
      GIT_AUTHOR_EMAIL: 'drydock@localhost',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: 'Drydock',
      GIT_COMMITTER_EMAIL: 'drydock@localhost',
      GIT_COMMITTER_DATE: date,
    }
    const made = execFileSync(
      'git',
      ['commit-tree', tree, ...commit.parents.flatMap((each) => ['-p', each]), '-F', '-'],
      { cwd: dir, env: { ...env, ...who }, input: commit.message },
    )
      .toString()
      .trim()
    if (made !== sha) throw new Error(`commit ${made} instead of ${sha}`)
    rmSync(index, { force: true })
  }
  const mirror = join(world.state, 'mirror.git')
  const after = (name: string) => {
    if (['prepare', 'initialize'].includes(name)) for (const slot of slots) giveFolder(workTrees.path(slot))
    if (name === 'checkout') for (const [folder] of memory.checkouts) giveFolder(folder)
    if (['publish', 'advance'].includes(name)) {
      const now = new Map(repository.branches)
      for (const [branch, sha] of now) {
        giveCommit(world.repository, sha)
        git(world.repository, ['update-ref', `refs/heads/${branch}`, sha])
      }
      if (name === 'advance')
        for (const [path, { bytes }] of repository.work) {
          mkdirSync(dirname(join(world.repository, path)), { recursive: true })
          writeFileSync(join(world.repository, path), bytes)
          git(world.repository, ['add', path])
        }
    }
    if (name === 'note') {
      for (const [sha, text] of repository.notes) {
        giveCommit(world.repository, sha)
        git(
          world.repository,
          [
            '-c',
            'user.name=Drydock',
            '-c',
            'user.email=drydock@localhost',
            'notes',
            '--ref=refs/notes/drydock',
            'add',
            '-f',
            '-F',
            '-',
            sha,
          ],
          text,
        )
      }
    }
    if (existsSync(mirror) || name === 'initialize' || name === 'updateMirror') {
      if (!existsSync(mirror)) git(world.top, ['init', '-q', '--bare', mirror])
      try {
        git(mirror, [
          'fetch',
          '-q',
          '--prune',
          world.repository,
          '+refs/heads/*:refs/heads/*',
          '+refs/tags/*:refs/tags/*',
        ])
      } catch {}
      for (const [ref, sha] of memory.refs) {
        giveCommit(mirror, sha)
        git(mirror, ['update-ref', ref, sha])
      }
    }
  }
  void chmodSync
  const sync = <T extends object>(port: T): T =>
    Object.fromEntries(
      Object.entries(port).map(([name, value]) => [
        name,
        typeof value !== 'function' || ['path', 'committed', 'inside'].includes(name)
          ? value
          : async (...args: unknown[]) => {
              before()
              if (name === 'initialize') for (const slot of args[0] as string[]) slots.add(slot)
              if (name === 'initialize') for (const slot of slots) mkdirSync(workTrees.path(slot), { recursive: true })
              if (name === 'initialize') before()
              const made = await value(...args)
              after(name)
              return made
            },
      ]),
    ) as T
  const ports = {
    history: sync(memory.history),
    workTrees: sync(workTrees),
    userRepository: sync(userRepository),
    publisher: sync(publisher),
  }
  return { ...world, ...ports, another: () => ({ ...world.another(), ...ports }) } as World
}
