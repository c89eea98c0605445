import { posix } from 'node:path'
import { layoutOf } from '../../../src/adapters/git/layout.ts'
import type { WorkTrees } from '../../../src/ports/work-trees.ts'
import type { Entry, Tree } from '../objects.ts'
import { ignoreRules } from './ignore-rules.ts'
import { failed, type Mirror, mustBeHidden } from './mirror.ts'
import { committable, type Disk, type Work } from './repository.ts'

/** The parts of work trees in memory. */
export interface MemoryPlaces {
  readonly mirror: Mirror
  readonly disk: Disk
  /** The commit of each checkout, by folder. */
  readonly checkouts: Map<string, string>
  readonly state: string
}

/**
 * Work trees of a world in memory. In this model commits have no submodules, attributes convert no
 * files, empty folders do not exist, and no change is too large.
 */
export function createMemoryWorkTrees({ mirror, disk, checkouts, state }: MemoryPlaces): WorkTrees {
  const { objects } = mirror
  const layout = layoutOf(state)
  /** The commit whose files count as tracked in a slot. */
  const tips = new Map<string, string>()
  /** The folder itself stays, since sandboxes may show it. */
  const fill = (folder: string, files: Tree) => {
    const work: Work = disk.get(folder) ?? new Map()
    work.clear()
    for (const [path, entry] of files) work.set(path, entry)
    disk.set(folder, work)
  }
  const workOf = (slot: string): Work => {
    const work = disk.get(layout.workspace(slot))
    if (work === undefined) throw failed(`fatal: there is no workspace of ${slot}`)
    return work
  }
  return {
    async initialize(slots) {
      mirror.exists = true
      for (const slot of slots) {
        const folder = layout.workspace(slot)
        if (!disk.has(folder)) disk.set(folder, new Map())
      }
    },
    path: layout.workspace,
    history: layout.history,
    isMade: async (slot) => disk.has(layout.workspace(slot)),
    async prepare({ slot, tip, tree = tip }, signal) {
      signal.throwIfAborted()
      mirror.commit(tip)
      fill(layout.workspace(slot), mirror.tree(tree))
      tips.set(slot, tip)
    },
    async snapshot({ slot, parents, ref, last, message, at, setAside = false }, signal) {
      const [parent] = parents
      if (parent === undefined) throw new Error('a snapshot needs a parent')
      signal.throwIfAborted()
      mustBeHidden(ref)
      const work = workOf(slot)
      const tracked = mirror.tree(parent)
      tips.set(slot, parent)
      const isIgnored = ignoreRules(work)
      const nested = repositoriesIn(work).filter((path) => !isIgnored(`${posix.dirname(path)}/`))
      if (nested.length > 0 && !setAside) return { ok: false, reason: refusal(nested) }
      if (nested.length > 0) moveAside(disk, work, { folder: posix.join(layout.aside, ref), paths: nested })
      const isGit = (path: string) => /(^|\/)\.git(\/|$)/i.test(path)
      const whole = new Map([...work].filter(([path]) => !isGit(path)))
      const tree = objects.putTree(committable(whole, tracked, isIgnored))
      const same = [mirror.refs.get(ref), last].find((sha) => {
        const commit = sha === null || sha === undefined || !mirror.has(sha) ? undefined : mirror.commit(sha)
        return commit?.tree === tree && commit.parents.join(' ') === parents.join(' ')
      })
      const sha = same ?? mirror.make({ tree, parents, message, at })
      mirror.keep(ref, sha)
      return { ok: true, snapshot: { sha, tree } }
    },
    async setAside(under) {
      const top = `${layout.aside}/`
      const refs = [...disk.keys()].flatMap((path) => (path.startsWith(top) ? [path.slice(top.length)] : []))
      const names = refs.flatMap((ref) => (ref.startsWith(under) ? [ref.slice(under.length).split('/')[0] ?? ''] : []))
      return [...new Set(names)]
        .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
        .map((name) => ({ ref: `${under}${name}`, folder: posix.join(layout.aside, under, name) }))
    },
    async forgetSetAside(under) {
      for (const refs of under) mustBeHidden(refs)
      const gone = under.map((refs) => posix.join(layout.aside, refs, '/'))
      for (const path of [...disk.keys()]) if (gone.some((each) => `${path}/`.startsWith(each))) disk.delete(path)
    },
    async ignored(slot, paths) {
      const work = workOf(slot)
      const isIgnored = ignoreRules(work)
      const tip = tips.get(slot)
      const tracked = tip === undefined ? new Map<string, Entry>() : mirror.tree(tip)
      const isFolder = (path: string) => [...work.keys()].some((each) => each.startsWith(`${path}/`))
      return paths.filter((path) => {
        if (tracked.has(path) || isBehindLink(work, path)) return false
        return isIgnored(isFolder(path) ? `${path}/` : path)
      })
    },
    async checkout(name, sha, signal) {
      const folder = layout.checkout(name)
      signal.throwIfAborted()
      fill(folder, mirror.tree(mirror.commit(sha).tree))
      checkouts.set(folder, sha)
      return folder
    },
    submodules: async () => [],
    async makeMountPoints(folder, paths) {
      const files: Tree = disk.get(folder) ?? new Map()
      return paths.filter((path) => isPlain(path) && !files.has(path) && !isBehind(files, path))
    },
  }
}

/** Every `.git` below the top, of any kind. */
function repositoriesIn(work: Tree): readonly string[] {
  const found = [...work.keys()].flatMap((path) => /^(.+?\/\.git)(?:\/|$)/i.exec(path)?.[1] ?? [])
  return [...new Set(found)]
}

function refusal(paths: readonly string[]): string {
  const names = paths.slice(0, 3).map((path) => JSON.stringify(path))
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return `a git repository inside the workspace cannot be part of the change: remove ${names.join(', ')}${more}`
}

/**
 * Moves everything at these paths into the next numbered folder, with each `.git` renamed, so that
 * git finds no repository there.
 */
function moveAside(
  disk: Disk,
  work: Work,
  { folder, paths }: { readonly folder: string; readonly paths: readonly string[] },
): void {
  const aside: Work = disk.get(folder) ?? new Map()
  disk.set(folder, aside)
  const taken = [...aside.keys()].map((path) => Number(path.split('/')[0]))
  const number = Math.max(0, ...taken) + 1
  for (const [path, entry] of [...work]) {
    if (!paths.some((each) => path === each || path.startsWith(`${each}/`))) continue
    work.delete(path)
    aside.set(`${number}/${path.replace(/(?<=^|\/)(\.git|HEAD)(?=\/|$)/gi, '$1.set-aside')}`, entry)
  }
}

/** True if a folder along the path is a file or link. */
function isBehind(files: Tree, path: string): boolean {
  const names = path.split('/')
  return names.some((_, i) => i > 0 && files.has(names.slice(0, i).join('/')))
}

function isBehindLink(work: Tree, path: string): boolean {
  const names = path.split('/')
  return names.some((_, i) => i > 0 && work.get(names.slice(0, i).join('/'))?.mode === '120000')
}

/** True for a relative path whose parts are valid file names outside git's own folder. */
function isPlain(path: string): boolean {
  const isName = (part: string) => part !== '' && Buffer.byteLength(part) <= 255 && !/^(\.{1,2}|\.git)$/i.test(part)
  return !path.includes('\0') && path.split('/').every(isName)
}
