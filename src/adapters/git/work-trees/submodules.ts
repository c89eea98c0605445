import { createHash } from 'node:crypto'
import { mkdir, rename, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Submodule } from '../../../ports/work-trees.ts'
import type { Git, GitOptions } from '../git.ts'
import { contents } from '../history/contents.ts'
import { type Gitlink, gitlinks } from '../history/gitlinks.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { unlessMissing } from '../unless-missing.ts'
import { makeMountPoints } from './mount-points.ts'
import { removeTree } from './remove-tree.ts'
import { makeSubmoduleObjects } from './submodule-objects.ts'

interface Parts {
  readonly layout: Layout
  readonly git: Git
  readonly objects: ReadObject
  readonly userGit: Git
  readonly lock: Lock
  readonly repository: string
}

/** Implements WorkTrees.submodules. */
export async function submodules(parts: Parts, sha: string, signal: AbortSignal): Promise<readonly Submodule[]> {
  const { layout, git, objects, lock } = parts
  // Without this file git knows no submodules, so most repositories need not be listed whole.
  const declared = await contents(objects, { sha, paths: ['.gitmodules'] })
  if (declared['.gitmodules'] === null) return []
  const links = await gitlinks(git, { gitDir: layout.mirror, signal }, sha)
  if (links.length === 0) return []
  return lock('submodules', signal, async (spawned) => {
    const options = { gitDir: join(layout.scratch, 'submodules.git'), signal, spawned }
    const found = new Map<string, Submodule>()
    const absent: Gitlink[] = []
    for (const link of links) {
      const folder = join(layout.submodules, link.commit)
      if (await touched(folder)) found.set(link.path, { ...link, folder })
      else absent.push(link)
    }
    if (absent.length > 0) {
      const paths = absent.map(({ path }) => path)
      await makeSubmoduleObjects(parts, { gitDir: options.gitDir, sha, paths }, { signal, spawned })
    }
    for (const link of absent) found.set(link.path, await exported({ git, layout }, link, options))
    await removeTree(options.gitDir)
    return links.flatMap(({ path }) => found.get(path) ?? [])
  })
}

type Options = Pick<GitOptions, 'gitDir' | 'signal' | 'spawned'>

/**
 * The submodule in a folder of the cache, with those of its own submodules that exist; git's
 * message if it cannot be written.
 */
async function exported(
  { git, layout }: { readonly git: Git; readonly layout: Layout },
  link: Gitlink,
  options: Options,
): Promise<Submodule> {
  if (!(await isThere(git, link.commit, options))) return { ...link, folder: null, reason: missing(link, []) }
  try {
    const nested = await nestedLinks(git, link.commit, options)
    const folder = join(layout.submodules, folderName(link.commit, nested.absent))
    if (!(await touched(folder)))
      await exportTo(folder, { git, layout, links: [{ ...link, path: '' }, ...nested.there] }, options)
    return { ...link, folder, ...(nested.absent.length > 0 && { reason: missing(link, nested.absent) }) }
  } catch (error) {
    if (!(error instanceof DrydockError && error.code === 'git_failed')) throw error
    const reason = `The files of the submodule ${JSON.stringify(link.path)} cannot be written: ${error.message}`
    return { ...link, folder: null, reason }
  }
}

async function isThere(git: Git, commit: string, options: Options): Promise<boolean> {
  return (await git(['cat-file', '-e', `${commit}^{commit}`], { ...options, exits: [1, 128] })).code === 0
}

/**
 * The submodules inside a submodule, at any depth, parents first; paths are relative to the outer
 * one's top.
 */
async function nestedLinks(
  git: Git,
  commit: string,
  options: Options,
): Promise<{ readonly there: readonly Gitlink[]; readonly absent: readonly string[] }> {
  const there: Gitlink[] = []
  const absent: string[] = []
  for (const link of await gitlinks(git, options, commit)) {
    if (!(await isThere(git, link.commit, options))) {
      absent.push(link.path)
      continue
    }
    const below = await nestedLinks(git, link.commit, options)
    there.push(link, ...below.there.map((deeper) => ({ ...deeper, path: `${link.path}/${deeper.path}` })))
    absent.push(...below.absent.map((path) => `${link.path}/${path}`))
  }
  return { there, absent }
}

/**
 * An incomplete submodule has another name, so that it is made again once the missing objects
 * exist.
 */
function folderName(commit: string, absent: readonly string[]): string {
  if (absent.length === 0) return commit
  const hash = createHash('sha256').update(absent.join('\0')).digest('hex').slice(0, 12)
  return `${commit}-without-${hash}`
}

async function exportTo(
  folder: string,
  { git, layout, links }: { readonly git: Git; readonly layout: Layout; readonly links: readonly Gitlink[] },
  options: Options,
): Promise<void> {
  const scratch = join(layout.scratch, 'submodule')
  const index = join(layout.scratch, 'submodule.index')
  await removeTree(scratch)
  await mkdir(scratch)
  for (const { path, commit } of links) {
    const made = path === '' || (await makeMountPoints(scratch, [path])).length > 0
    await rm(index, { force: true })
    const place = { workTree: join(scratch, path), environment: { GIT_INDEX_FILE: index } }
    if (made) await git(['read-tree', '--reset', '-u', commit], { ...options, ...place })
  }
  await rm(index, { force: true })
  await mkdir(dirname(folder), { recursive: true })
  await rename(scratch, folder)
}

/**
 * Renews the folder's time so that the clean-up of the cache sees it in use; false if it does not
 * exist.
 */
async function touched(folder: string): Promise<boolean> {
  const now = new Date()
  return (await unlessMissing(utimes(folder, now, now).then(() => true))) ?? false
}

function missing({ path }: Gitlink, nested: readonly string[]): string {
  const plain = /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(path) ? ` ${path}` : ''
  const name = JSON.stringify(path)
  if (nested.length === 0)
    return `The commit of the submodule ${name} is not in this repository: git submodule update --init${plain}`
  const inner = nested.slice(0, 3).map((one) => JSON.stringify(one))
  return `The submodule ${name} lacks its own ${inner.join(', ')}: git submodule update --init --recursive${plain}`
}
