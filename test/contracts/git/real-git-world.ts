import { execFileSync } from 'node:child_process'
import {
  chmodSync,
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
import { makeReadyWorld, makeWorld, type World } from '../../adapters/git/git-world.ts'
import { byBytes } from '../../world/objects.ts'
import type { Content, ContractPorts, FileContents, Files, GitWorld, ShownCommit, User } from './git-world.ts'

const notesRef = 'refs/notes/drydock'

/** A world of real git, with the adapter's ports. */
export async function createRealGitWorld(files: Files): Promise<GitWorld> {
  const world = worldWith(files)
  return { ...realGitWorld(world, world.state), ...portsOf(world) }
}

/** A world of real git with a ready slot. */
export async function createReadyRealGitWorld(files: Files): Promise<{ world: GitWorld; tip: string }> {
  const plain = Object.entries(files).map(([path, content]) => {
    if (typeof content !== 'string') throw new Error('a ready world begins with plain files')
    return [path, content] as const
  })
  const world = await makeReadyWorld(Object.fromEntries(plain))
  return { world: { ...realGitWorld(world, world.state), ...portsOf(world) }, tip: world.tip }
}

/** A repository with one commit of these files, made by the user's git. */
export function worldWith(files: Files): World {
  const plain = Object.entries(files).filter((each): each is [string, string] => typeof each[1] === 'string')
  const world = makeWorld(Object.fromEntries(plain))
  if (plain.length < Object.keys(files).length) {
    writeInto(world.repository, files)
    world.git('add', '--all')
    world.git('commit', '--quiet', '--amend', '--no-edit')
  }
  return world
}

export function portsOf({ history, workTrees, userRepository, publisher }: ContractPorts): ContractPorts {
  return { history, workTrees, userRepository, publisher }
}

/** A world on real git whose mirror is in this state directory. */
export function realGitWorld(world: World, state: string): Omit<GitWorld, keyof ContractPorts> {
  const inMirror = (...args: string[]) => world.gitIn(join(state, 'mirror.git'), ...args)
  return {
    signal: world.signal,
    user: userOf(world),
    another: () => portsOf(world.another()),
    write: writeInto,
    shown: shownIn,
    files: (sha) => committedIn(world, join(state, 'mirror.git'), sha),
    commitInMirror: (sha) => shownCommit(inMirror('cat-file', 'commit', sha)),
    mirrorRefs: () => refsOf(inMirror('for-each-ref', '--format=%(refname) %(objectname)')),
    close: async () => world.close(),
  }
}

function refsOf(lines: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ') as [string, string]),
  )
}

function shownCommit(raw: string): ShownCommit {
  const end = raw.indexOf('\n\n')
  const lines = raw.slice(0, end).split('\n')
  const signature = (role: string) => {
    const line = lines.find((each) => each.startsWith(`${role} `)) ?? ''
    const [, who = '', seconds = '', zone = ''] = /^\w+ (.*) (\d+) ([+-]\d+)$/.exec(line) ?? []
    const date = new Date(Number(seconds) * 1_000).toISOString()
    return { who, date: date.replace('.000Z', `${zone.slice(0, 3)}:${zone.slice(3)}`) }
  }
  const [author, committer] = [signature('author'), signature('committer')]
  return {
    author: author.who,
    committer: committer.who,
    dates: [author.date, committer.date],
    parents: lines.filter((line) => line.startsWith('parent ')).map((line) => line.slice('parent '.length)),
    message: raw.slice(end + 2),
  }
}

function userOf(world: World): User {
  const { git, repository } = world
  const notes = (...args: string[]) => git('notes', `--ref=${notesRef}`, ...args)
  return {
    path: repository,
    commitAll: world.commitAll,
    commitTree: (of, parents) =>
      git('commit-tree', `${of}^{tree}`, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'aside'),
    branch: (name, at = 'HEAD') => void git('branch', '--force', name, at),
    removeBranch: (name) => void git('branch', '--delete', '--force', name),
    tag: (name, at = 'HEAD') => void git('tag', '--force', name, at),
    removeTag: (name) => void git('tag', '--delete', name),
    switchTo: (name) => void git('-c', 'advice.detachedHead=false', 'checkout', '--quiet', name),
    at(name) {
      try {
        return git('rev-parse', '--quiet', '--verify', `${name}^{commit}`)
      } catch {
        return null
      }
    },
    isClean: () => git('status', '--porcelain') === '',
    refs() {
      const all = refsOf(git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/', 'refs/tags/'))
      return Object.fromEntries(Object.entries(all).sort(([a], [b]) => byBytes(a, b)))
    },
    notes() {
      const listed = refsOf(git('for-each-ref', '--format=%(refname) x', notesRef))
      if (listed[notesRef] === undefined) return {}
      const lines = notes('list').split('\n').filter(Boolean)
      const texts = lines.map((line) => {
        const [blob = '', sha = ''] = line.split(' ')
        return [sha, bytesOf(world, repository, 'cat-file', 'blob', blob).toString()] as const
      })
      return Object.fromEntries(texts.sort(([a], [b]) => byBytes(a, b)))
    },
    writeNote: (sha, text) => void notes('add', '--force', '-m', text.trimEnd(), sha),
    removeNote: (sha) => void (sha === null ? git('update-ref', '-d', notesRef) : notes('remove', sha)),
  }
}

function bytesOf({ environment }: World, directory: string, ...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: directory, env: environment, maxBuffer: 1e9 })
}

/** Uses one git process for any number of files. */
function committedIn(world: World, gitDir: string, sha: string): FileContents {
  const lines = bytesOf(world, gitDir, 'ls-tree', '-r', '-z', '--full-tree', sha).toString('utf8').split('\0')
  const entries = lines.filter(Boolean).map((line) => {
    const [mode = '', , object = ''] = line.slice(0, line.indexOf('\t')).split(' ')
    return { mode, object, path: line.slice(line.indexOf('\t') + 1) }
  })
  const objects = execFileSync('git', ['cat-file', '--batch'], {
    cwd: gitDir,
    env: world.environment,
    maxBuffer: 1e9,
    input: entries.map(({ object }) => `${object}\n`).join(''),
  })
  let at = 0
  const shown = entries.map(({ mode, path }): [string, Content] => {
    const end = objects.indexOf('\n', at)
    const size = Number(objects.toString('latin1', at, end).split(' ')[2])
    const content = objects.toString('utf8', end + 1, end + 1 + size)
    at = end + 1 + size + 1
    if (mode === '120000') return [path, { link: content }]
    return [path, mode === '100755' ? { executable: content } : content]
  })
  return Object.fromEntries(shown.sort(([a], [b]) => byBytes(a, b)))
}

function writeInto(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path)
    rmSync(place, { recursive: true, force: true })
    if (content === null) {
      // Git has no empty folders, and neither does a world in memory.
      removeEmpty(folder, dirname(place))
      continue
    }
    mkdirSync(dirname(place), { recursive: true })
    if (typeof content === 'string') writeFileSync(place, content)
    else if ('link' in content) symlinkSync(content.link, place)
    else {
      writeFileSync(place, content.executable)
      chmodSync(place, 0o755)
    }
  }
}

const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

function removeEmpty(top: string, folder: string): void {
  for (let each = folder; each !== top && isFolder(each) && readdirSync(each).length === 0; each = dirname(each))
    rmSync(each, { recursive: true })
}

function shownIn(folder: string): FileContents {
  const shown: [string, Content][] = []
  const visit = (at: string, prefix: string) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const [place, path] = [join(at, entry.name), prefix + entry.name]
      if (path === '.git') continue
      if (entry.isDirectory()) visit(place, `${path}/`)
      else if (entry.isSymbolicLink()) shown.push([path, { link: readlinkSync(place) }])
      else {
        const content = readFileSync(place, 'utf8')
        shown.push([path, lstatSync(place).mode & 0o100 ? { executable: content } : content])
      }
    }
  }
  visit(folder, '')
  return Object.fromEntries(shown.sort(([a], [b]) => byBytes(a, b)))
}
