import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git, GitOptions } from '../git.ts'
import { whatIsThere } from '../raw-path.ts'
import { objectFormat } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeTree } from './remove-tree.ts'

/**
 * Makes, at `gitDir`, a git directory with access to the objects of all the user's submodules, and
 * to nothing else of them. Objects are found by id, so neither `.gitmodules`, which an agent may
 * have written, nor a submodule's configuration has any influence.
 */
export async function makeSubmoduleObjects(
  { git, userGit, repository }: { readonly git: Git; readonly userGit: Git; readonly repository: string },
  { gitDir, sha, paths }: { readonly gitDir: string; readonly sha: string; readonly paths: readonly string[] },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<void> {
  const folders = new Set<string>()
  // A linked worktree has its own submodules, and those of the main one serve as well.
  for (const which of ['--git-dir', '--git-common-dir']) {
    const { stdout } = await userGit(['rev-parse', '--path-format=absolute', which], { workTree: repository })
    const modules = join(stdout.toString('utf8').replace(/\n$/, ''), 'modules')
    for (const folder of await objectFolders(modules)) folders.add(folder)
  }
  for (const path of paths) {
    const own = `${path}/.git/objects`
    const there = await whatIsThere(repository, Buffer.from(own).toString('latin1'), new Set())
    if (there === 'folder') folders.add(join(repository, own))
  }
  await removeTree(gitDir)
  await git(['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat(sha)}`, gitDir], options)
  const lines = [...folders].map((folder) => `${JSON.stringify(folder)}\n`)
  await writeFile(join(gitDir, 'objects', 'info', 'alternates'), lines.join(''))
}

/**
 * The object folders of a git directory and of those nested in it, or of all git directories below
 * a folder, since names of submodules may contain slashes.
 */
async function objectFolders(folder: string): Promise<readonly string[]> {
  const entries = (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? []
  const isGitDir = entries.some((entry) => entry.name === 'HEAD' && entry.isFile())
  if (isGitDir) return [join(folder, 'objects'), ...(await objectFolders(join(folder, 'modules')))]
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => objectFolders(join(folder, name)))
  return (await Promise.all(below)).flat()
}
