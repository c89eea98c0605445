import { lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import type { AgentStart } from '../../ports/coding-agent.ts'
import type { PlainMount } from '../../ports/sandbox.ts'
import { AgentBroke } from './agent-broke.ts'

/**
 * Mounts of the user's credentials into an agent's home. An earlier turn may have put a link where
 * one is mounted, which would lead out of the home: whatever is no folder on the way is removed.
 */
export async function credentialMounts(
  { credentials, home }: Pick<AgentStart, 'credentials' | 'home'>,
  homeInside: string,
): Promise<readonly PlainMount[]> {
  const mounts: PlainMount[] = []
  for (const { path, at } of credentials) {
    const way = normalize(at)
    if (way.startsWith('/') || way.split('/').includes('..') || way === '.')
      throw new AgentBroke('sandbox', `the place of a credential is not inside the home: ${at}`)
    await lstat(path).catch(() => {
      throw new AgentBroke('missing', `a file of its credentials is not there: ${path}`)
    })
    await makeFolders(home, dirname(way))
    await rm(join(home, way), { recursive: true, force: true })
    await writeFile(join(home, way), '', { flag: 'wx', mode: 0o600 })
    mounts.push({ path, at: join(homeInside, way), access: 'read' })
  }
  return mounts
}

async function makeFolders(home: string, way: string): Promise<void> {
  let folder = home
  for (const name of way.split('/').filter((part) => part !== '.')) {
    folder = join(folder, name)
    const stats = await lstat(folder).catch(() => null)
    if (stats?.isDirectory()) continue
    await rm(folder, { force: true })
    await mkdir(folder, { mode: 0o700, recursive: true })
  }
}
