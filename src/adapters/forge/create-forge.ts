import type { ForgeAccess } from '../../domain/forge/forge-access.ts'
import type { Forge } from '../../ports/forge.ts'
import { asForge, understood } from './understood.ts'

/** Loads only the code of this kind of forge. */
export async function createForge(access: ForgeAccess): Promise<Forge> {
  return understood(await asForge(access.name, forgeOf(access)))
}

async function forgeOf(access: ForgeAccess): Promise<Forge> {
  switch (access.kind) {
    case 'github':
      return (await import('./github/github.ts')).createGitHub(access)
    case 'gitlab':
      return (await import('./gitlab/gitlab.ts')).createGitLab(access)
    case 'gitea':
    case 'forgejo':
      return (await import('./gitea/gitea.ts')).createGitea(access)
    default:
      throw new Error(`unknown forge ${access.kind satisfies never}`)
  }
}
