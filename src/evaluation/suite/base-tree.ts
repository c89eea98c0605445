import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { temporaryFolders } from '../../domain/temporary-folders.ts'
import { type Git, gitIn } from '../git.ts'
import type { Source } from './suite.ts'

/** The files that a task starts from, in a temporary repository. */
export interface BaseTree {
  /** Git in that repository, which reads the user's objects and writes none of them. */
  readonly git: Git
  readonly folder: string
  readonly tree: string
}

/** Rejects if git cannot read the source. The caller removes `folder`. */
export async function openBaseTree(source: Source, path: string | undefined): Promise<BaseTree> {
  const folder = await mkdtemp(join(tmpdir(), temporaryFolders.bench))
  try {
    return await readBaseTree(source, folder, path)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function readBaseTree(source: Source, folder: string, path: string | undefined): Promise<BaseTree> {
  const plain = gitIn(folder, path)
  await plain(['init', '--quiet', '--bare'])
  if (source.kind === 'folder') {
    await plain(['add', '--all'], { env: { GIT_WORK_TREE: source.path } })
    return { git: plain, folder, tree: await plain(['write-tree']) }
  }
  const objects = await gitIn(source.path, path)(['rev-parse', '--git-path', 'objects'])
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: resolve(source.path, objects) }
  const git: Git = (args, options = {}) => plain(args, { ...options, env: { ...env, ...options.env } })
  return { git, folder, tree: await git(['rev-parse', `${source.commit}^{tree}`]) }
}
