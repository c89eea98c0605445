import { createHash } from 'node:crypto'
import { appendFile, copyFile, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { excludedPatterns } from '../../../domain/story/context-folder.ts'
import { allDone } from '../all-done.ts'
import { alternate } from '../alternate.ts'
import type { Git, GitOptions } from '../git.ts'
import { isAncestor } from '../history/is-ancestor.ts'
import { lendPacks } from '../history/link-objects.ts'
import type { Mirror } from '../history/mirror-writes.ts'
import { isNearAncestor } from '../history/near-ancestor.ts'
import type { Layout } from '../layout.ts'
import { makeGitDir } from '../objects/make-git-dir.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { sinceStart } from '../since-start.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeTree } from './remove-tree.ts'

type Options = Pick<GitOptions, 'signal' | 'spawned' | 'onProgress'>

interface Parts {
  readonly git: Git
  readonly objects: ReadObject
  readonly layout: Layout
  readonly mirror: Pick<Mirror, 'tags'>
}

export const pristineBranch = 'pristine'

/** The number of clones for stories that started at different commits and run at the same time. */
const kept = 3

/** The most packs of one clone: a clone made on top of another has one more. */
const mostPacks = 20

/**
 * The git directory of a clone of `tip` that no agent has seen: only the history of `tip` and its
 * tags, without remotes and hooks. It is made once and then reused; a clone gets its name when it
 * is complete. Commits are packed again instead of copied from the mirror, which also holds commits
 * of other stories. On top of an ancestor's clone, only the newer commits are packed, beside links
 * to that clone's packs. The caller must hold the lock of all clones while it uses the clone.
 */
export async function pristineClone(
  { git, layout, objects, mirror }: Parts,
  tip: string,
  options: Options,
): Promise<string> {
  const { name, hasTags } = await nameOf({ mirror, layout }, tip, options)
  const clone = join(layout.clones, name)
  const made = await sinceStart(clone)
  if (made !== null) {
    await utimes(clone, new Date(), made.mtime)
    return clone
  }
  const scratch = join(layout.scratch, 'clone')
  await removeTree(scratch)
  // A clone with other tags may hold objects that must not be shown any more.
  const before = await cloneBefore({ git, layout, objects }, { sha: tip, ending: name.slice(tip.length), mostPacks })
  const gitDir = await make(git, { mirror: layout.mirror, tip, hasTags, before, scratch }, options)
  await mkdir(layout.clones, { recursive: true })
  await drop(layout, clone)
  await rename(gitDir, clone)
  await removeTree(scratch)
  await dropOldest(layout)
  return clone
}

interface Before {
  readonly clone: string
  readonly tip: string
}

/** The clone of the commit or of an ancestor, with its tip; null if there is none. */
export async function cloneBefore(
  { git, layout, objects }: Pick<Parts, 'git' | 'layout' | 'objects'>,
  { sha, ending = '.git', mostPacks = Infinity }: { sha: string; ending?: string; mostPacks?: number },
): Promise<Before | null> {
  for (const name of (await unlessMissing(readdir(layout.clones))) ?? []) {
    const clone = join(layout.clones, name)
    const tip = name.slice(0, name.indexOf('-'))
    if (!name.endsWith(ending) || (await sinceStart(clone)) === null) continue
    if ((await packsOf(clone)) >= mostPacks) continue
    if ((await isNearAncestor(objects, [tip, sha])) || (await isAncestor(git, layout.mirror, [tip, sha])))
      return { clone, tip }
  }
  return null
}

async function packsOf(clone: string): Promise<number> {
  return (await readdir(join(clone, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).length
}

/** The clone's name, which changes with everything that a clone of the tip depends on. */
async function nameOf(
  { mirror, layout }: Pick<Parts, 'mirror' | 'layout'>,
  tip: string,
  options: Options,
): Promise<{ readonly name: string; readonly hasTags: boolean }> {
  const [tags, shallow] = await Promise.all([
    mirror.tags(options),
    unlessMissing(readFile(join(layout.mirror, 'shallow'))),
  ])
  const hash = createHash('sha256')
    .update(tags)
    .update(shallow ?? '')
  return { name: `${tip}-${hash.digest('hex').slice(0, 12)}.git`, hasTags: tags !== '' }
}

interface Making extends From {
  readonly hasTags: boolean
  readonly before: Before | null
  readonly scratch: string
}

interface From {
  /** The mirror's git directory. */
  readonly mirror: string
  readonly tip: string
}

async function make(git: Git, { mirror, tip, hasTags, before, scratch }: Making, options: Options): Promise<string> {
  const gitDir = join(scratch, '.git')
  await makeGitDir(gitDir, { mirror, branch: pristineBranch })
  const pack = async () => {
    const tags = hasTags ? await tagsIn(git, { mirror, tip }, options) : null
    const objects = join(gitDir, 'objects')
    const isLent = before !== null && (await lendPacks(before.clone, objects))
    await packHistory(git, { mirror, tip, tags, since: isLent ? before.tip : null, objects }, options)
    return tags
  }
  const [tags] = await allDone([pack(), unlessMissing(copyFile(join(mirror, 'shallow'), join(gitDir, 'shallow')))])
  await writeFile(join(gitDir, 'refs', 'heads', pristineBranch), `${tip}\n`)
  if (tags?.objects.length) {
    await git(['update-ref', '--stdin'], { ...options, gitDir, input: tags.commands })
    // As loose files, the refs would each have to be copied.
    await git(['pack-refs'], { ...options, gitDir })
  }
  await mkdir(join(gitDir, 'info'), { recursive: true })
  await appendFile(join(gitDir, 'info', 'exclude'), excludedPatterns)
  await appendFile(join(gitDir, 'config'), agentConfig)
  return gitDir
}

interface Tags {
  readonly objects: readonly string[]
  /** The `update-ref` commands that make the tags. */
  readonly commands: Buffer
}

/** The tags of commits in the history of the tip. */
async function tagsIn(git: Git, { mirror, tip }: From, options: Options): Promise<Tags> {
  const list = ['for-each-ref', `--merged=${tip}`, '--format=create %(refname) %(objectname)', 'refs/tags/']
  const commands = (await git(list, { ...options, gitDir: mirror })).stdout
  // Read as latin1, since a name may consist of any bytes.
  const lines = commands.toString('latin1').split('\n').slice(0, -1)
  return { objects: lines.map((line) => line.slice(line.lastIndexOf(' ') + 1)), commands }
}

/**
 * Writes the commit, its history and the tags as one pack, without the history of `since` and
 * without anything that only other refs of the mirror can reach. This takes one git process; a
 * fetch takes six, and rereads everything that it wrote.
 */
async function packHistory(
  git: Git,
  {
    mirror,
    tip,
    tags,
    since,
    objects,
  }: From & {
    readonly tags: Tags | null
    readonly since: string | null
    readonly objects: string
  },
  options: Options,
): Promise<void> {
  // Not flushed to disk, since the pack can be made again.
  const told = options.onProgress ? '--progress' : '--quiet'
  const pack = ['-c', 'core.fsync=none', 'pack-objects', '--revs', '--delta-base-offset', told]
  // With this setting, the temporary files of the pack lie in the same place.
  const environment = { GIT_OBJECT_DIRECTORY: objects, ...alternate(join(mirror, 'objects')) }
  const input = [tip, ...(tags?.objects ?? []), ...(since === null ? [] : [`^${since}`]), ''].join('\n')
  await git([...pack, join(objects, 'pack', 'pack')], { ...options, gitDir: mirror, environment, input })
}

async function dropOldest(layout: Layout): Promise<void> {
  const clones = (await readdir(layout.clones)).map((name) => join(layout.clones, name))
  const used = await Promise.all(clones.map(async (clone) => ({ clone, at: (await stat(clone)).atimeMs })))
  for (const { clone } of used.sort((a, b) => b.at - a.at).slice(kept)) await drop(layout, clone)
}

/** Renames the clone before its removal, so that every named clone is complete. */
async function drop({ scratch }: Layout, clone: string): Promise<void> {
  const trash = join(scratch, 'clone.old')
  await removeTree(trash)
  await unlessMissing(rename(clone, trash))
  await removeTree(trash)
}

const agentConfig = `[user]
	name = Drydock
	email = drydock@localhost
`
