import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, rename, stat, utimes } from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { excludedPatterns } from '../../../domain/story/context-folder.ts'
import type { Git, GitOptions } from '../git.ts'
import { fetchCommit } from '../history/fetch-commit.ts'
import type { Mirror } from '../history/mirror-writes.ts'
import type { Layout } from '../layout.ts'
import { objectFormat } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeTree } from './remove-tree.ts'

type Options = Pick<GitOptions, 'signal' | 'spawned'>

interface Parts {
  readonly git: Git
  readonly layout: Layout
  readonly mirror: Pick<Mirror, 'tags'>
}

/** The branch of a pristine clone. */
export const pristineBranch = 'pristine'

/** As many as may be in use at the same time by stories that started at different commits. */
const kept = 3

/**
 * The git directory of a clone of `tip` that no agent has seen: history of `tip` with the tags in
 * it and no more, no remote, no hooks. It is made once and then found; what is found was whole when
 * it got its name. Fetched rather than copied from the mirror, which also holds what other stories
 * keep there. Whoever calls this holds the lock of all clones while the clone is used.
 */
export async function pristineClone({ git, layout, mirror }: Parts, tip: string, options: Options): Promise<string> {
  const clone = join(layout.clones, await nameOf({ mirror, layout }, tip, options))
  if (await isUsable(clone)) return clone
  const scratch = join(layout.scratch, 'clone')
  await removeTree(scratch)
  const gitDir = await make(git, { mirror: layout.mirror, tip, scratch }, options)
  await mkdir(layout.clones, { recursive: true })
  await drop(layout, clone)
  await rename(gitDir, clone)
  await removeTree(scratch)
  await dropOldest(layout)
  return clone
}

/** Changes with all that a clone of the tip depends on. */
async function nameOf(
  { mirror, layout }: Pick<Parts, 'mirror' | 'layout'>,
  tip: string,
  options: Options,
): Promise<string> {
  const [tags, shallow] = await Promise.all([
    mirror.tags(options),
    unlessMissing(readFile(join(layout.mirror, 'shallow'))),
  ])
  const hash = createHash('sha256')
    .update(tags)
    .update(shallow ?? '')
  return `${tip}-${hash.digest('hex').slice(0, 12)}.git`
}

async function make(
  git: Git,
  { mirror, tip, scratch }: { readonly mirror: string; readonly tip: string; readonly scratch: string },
  options: Options,
): Promise<string> {
  const init = ['init', '--quiet', '--template=', `--object-format=${objectFormat(tip)}`]
  await git([...init, `--initial-branch=${pristineBranch}`, scratch], options)
  const gitDir = join(scratch, '.git')
  await fetchCommit(git, { mirror, sha: tip }, { gitDir, ref: `refs/heads/${pristineBranch}`, options })
  // Tags of a long history would be a file each to copy.
  if ((await unlessMissing(readdir(join(gitDir, 'refs', 'tags'))))?.length)
    await git(['pack-refs'], { ...options, gitDir })
  await mkdir(join(gitDir, 'info'), { recursive: true })
  await appendFile(join(gitDir, 'info', 'exclude'), excludedPatterns)
  await appendFile(join(gitDir, 'config'), agentConfig)
  return gitDir
}

/**
 * Nobody waited for the disk when it was made: one from before the machine started may lack what
 * never got there.
 */
async function isUsable(clone: string): Promise<boolean> {
  const found = await unlessMissing(stat(clone))
  const started = Date.now() - uptime() * 1_000
  if (found === null || found.mtimeMs < started) return false
  await utimes(clone, new Date(), found.mtime)
  return true
}

async function dropOldest(layout: Layout): Promise<void> {
  const clones = (await readdir(layout.clones)).map((name) => join(layout.clones, name))
  const used = await Promise.all(clones.map(async (clone) => ({ clone, at: (await stat(clone)).atimeMs })))
  for (const { clone } of used.sort((a, b) => b.at - a.at).slice(kept)) await drop(layout, clone)
}

/** Takes its name away first: what has the name is whole. */
async function drop({ scratch }: Layout, clone: string): Promise<void> {
  const trash = join(scratch, 'clone.old')
  await removeTree(trash)
  await unlessMissing(rename(clone, trash))
  await removeTree(trash)
}

const agentConfig = `[core]
	logallrefupdates = true
[user]
	name = Drydock
	email = drydock@localhost
`
