import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git, GitOptions } from '../git.ts'
import { whatIsThere } from '../raw-path.ts'
import { objectFormat } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeTree } from './remove-tree.ts'

/**
 * Makes at `gitDir` a git directory of Drydock's own that sees the objects of all submodules which
 * the user has here, and nothing else of them. An object is found by its id: neither `.gitmodules`,
 * which an agent may have written, nor the configuration of a submodule has a say in it.
 */
export async function makeSubmoduleObjects(
  { git, userGit, repository }: { readonly git: Git; readonly userGit: Git; readonly repository: string },
  { gitDir, sha, paths }: { readonly gitDir: string; readonly sha: string; readonly paths: readonly string[] },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<void> {
  const folders = new Set<string>()
  // A linked worktree has submodules of its own, and those of the main one are as good.
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
 * Of the git directory that the folder is, with those nested in it, or of all that are somewhere
 * below: names of submodules may hold slashes.
 */
async function objectFolders(folder: string): Promise<readonly string[]> {
  const entries = (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? []
  const isGitDir = entries.some((entry) => entry.name === 'HEAD' && entry.isFile())
  if (isGitDir) return [join(folder, 'objects'), ...(await objectFolders(join(folder, 'modules')))]
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => objectFolders(join(folder, name)))
  return (await Promise.all(below)).flat()
}
