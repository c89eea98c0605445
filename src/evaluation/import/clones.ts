import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gitIn } from '../git.ts'
import type { Source } from '../suite/suite.ts'
import { detectedConfig } from './detected-config.ts'
import type { ImportCollection, Importing } from './imported.ts'

export interface Clone {
  readonly source: Source & { readonly kind: 'git' }
  /** The path of the configuration in the suite. */
  readonly config: string
}

/**
 * Opens a clone of a repository that contains a commit, or gives the reason why it cannot be used.
 */
export async function openClone(
  { repos, config, path }: Importing,
  collection: ImportCollection,
  { name, commit, configName }: { readonly name: string; readonly commit: string; readonly configName: string },
): Promise<Clone | string> {
  const folder = join(repos, name)
  if (!existsSync(folder)) return `there is no clone ${folder}; clone it there, or name another folder with --repos`
  const sha = await gitIn(
    folder,
    path,
  )(['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`]).catch(() => null)
  if (sha === null) return `${folder} has no commit ${commit}; fetch it there`
  const source = { kind: 'git', path: folder, commit: sha } as const
  const found = config === null ? await detectedConfig(source, path) : { config }
  if ('why' in found) return found.why
  return { source, config: collection.file(`configs/${configName}.json`, found.config) }
}

/** The last part of a URL, after which `git clone` names the folder. */
export function cloneName(url: string): string {
  return (url.replace(/\/+$/, '').split('/').at(-1) ?? '').replace(/\.git$/, '')
}
