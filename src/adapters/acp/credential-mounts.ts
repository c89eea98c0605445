import { stat } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import type { AgentStart } from '../../ports/coding-agent.ts'
import type { PlainMount } from '../../ports/sandbox.ts'
import { AgentBroke } from './agent-broke.ts'
import { writeHomeFile } from './home-files.ts'

/** Mounts of the user's credentials into an agent's home. */
export async function credentialMounts(
  { credentials, home }: Pick<AgentStart, 'credentials' | 'home'>,
  homeInside: string,
): Promise<readonly PlainMount[]> {
  const mounts: PlainMount[] = []
  for (const { path, at } of credentials) {
    const way = normalize(at)
    if (way.startsWith('/') || way.split('/').includes('..') || way === '.')
      throw new AgentBroke('sandbox', `the place of a credential is not inside the home: ${at}`)
    const stats = await stat(path).catch(() => null)
    if (!stats?.isFile()) throw new AgentBroke('missing', `there is no file ${path}, which its credentials name`)
    await writeHomeFile(home, way, '')
    mounts.push({ path, at: join(homeInside, way), access: 'read' })
  }
  return mounts
}
