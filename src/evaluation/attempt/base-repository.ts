import { cp, mkdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { type Git, gitIn } from '../git.ts'
import type { Source } from '../suite/suite.ts'

export interface BaseRepository {
  readonly git: Git
  readonly base: string
}

/**
 * A new repository whose branch `main` is the base. It contains only the objects of the base and
 * its history, and nothing else of the user's repository.
 */
export async function makeBaseRepository(
  source: Source,
  folder: string,
  path: string | undefined,
): Promise<BaseRepository> {
  return copyBase(source, folder, path).catch((cause: Error) => {
    const said = cause.message.split('\n').find((line) => line.includes('fatal: ')) ?? cause.message
    const message = `The base cannot be copied from ${source.path}: ${said}`
    throw new DrydockError('bad_suite', message, { todo: 'Check that repository with git fsck.', cause })
  })
}

async function copyBase(source: Source, folder: string, path: string | undefined): Promise<BaseRepository> {
  await mkdir(folder, { recursive: true })
  const git = gitIn(folder, path)
  await git(['init', '--quiet', '--initial-branch=main'])
  if (source.kind === 'folder') {
    await cp(source.path, folder, { recursive: true, filter: (from) => basename(from) !== '.git' })
    await git(['add', '--all'])
    await git(['commit', '--quiet', '--allow-empty', '--message=Base'])
    return { git, base: await git(['rev-parse', 'HEAD']) }
  }
  // The base may be any commit of the user's repository; its tags are not fetched.
  const upload = '--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack'
  await git(['fetch', '--quiet', '--no-tags', upload, source.path, `${source.commit}:refs/heads/base`])
  await git(['update-ref', 'refs/heads/main', source.commit])
  await git(['update-ref', '-d', 'refs/heads/base'])
  await git(['reset', '--quiet', '--hard'])
  return { git, base: source.commit }
}
