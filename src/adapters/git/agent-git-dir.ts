import { appendFile, chmod, copyFile, lstat, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchCommit } from './fetch-commit.ts'
import type { Git, GitOptions } from './git.ts'
import { excludedPatterns } from './own-config.ts'
import { removeTree } from './remove-tree.ts'
import { objectFormat } from './revision.ts'
import { unlessMissing } from './unless-missing.ts'

/**
 * Makes, at `scratch`, the `.git` that an agent gets: history of `tip` and no more, on a branch `branch`, with objects of its own,
 * no remote, no hooks. Fetched rather than copied, since the mirror also holds what other stories keep there and may be changing.
 */
export async function makeAgentGitDir(
  git: Git,
  what: { readonly mirror: string; readonly tip: string; readonly branch: string; readonly scratch: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<string> {
  await removeTree(what.scratch)
  const init = [
    'init',
    '--quiet',
    '--template=',
    `--object-format=${objectFormat(what.tip)}`,
    `--initial-branch=${what.branch}`,
  ]
  await git([...init, what.scratch])
  const gitDir = join(what.scratch, '.git')
  await fetchCommit(git, { mirror: what.mirror, sha: what.tip }, { gitDir, ref: `refs/heads/${what.branch}`, options })
  await mkdir(join(gitDir, 'info'), { recursive: true })
  await appendFile(join(gitDir, 'info', 'exclude'), excludedPatterns)
  await appendFile(join(gitDir, 'config'), agentConfig)
  return gitDir
}

/** Gives it an index of `tip`, made from the one that was just used on the work tree, so that files known to be unchanged are not read again. */
export async function fillIndex(
  git: Git,
  what: { gitDir: string; index: string; workTree: string; tip: string; isTip: boolean },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<void> {
  const { gitDir, index, workTree, tip } = what
  await copyFile(index, join(gitDir, 'index'))
  if (!what.isTip) await git(['read-tree', '--reset', tip], { ...options, gitDir, workTree })
}

/** Puts it into the workspace in place of whatever the agent left as `.git`. */
export async function moveIn(gitDir: string, workTree: string, trash: string): Promise<void> {
  const place = join(workTree, '.git')
  const old = await unlessMissing(lstat(place))
  await removeTree(trash)
  // A directory that may not be written to cannot be renamed either.
  if (old?.isDirectory()) await chmod(place, 0o700)
  if (old !== null) await rename(place, trash)
  await rename(gitDir, place)
  await removeTree(trash)
}

const agentConfig = `[core]
	logallrefupdates = true
[user]
	name = Drydock
	email = drydock@localhost
`
