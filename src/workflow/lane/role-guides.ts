import type { Agent } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { RoleGuide, RunConfig } from '../../domain/run/run-config.ts'
import type { UserRepository } from '../../ports/user-repository.ts'

const agents = ['architect', 'editor', 'scout'] as const satisfies readonly Agent[]

/**
 * The repository's advice to each role, from the Run's base commit: `.drydock/roles/<role>.md` if
 * that exists.
 */
export async function readRoleGuides(
  userRepository: Pick<UserRepository, 'fileAt'>,
  base: string,
): Promise<NonNullable<RunConfig['roleGuides']>> {
  const guides = await Promise.all(agents.map((agent) => read(userRepository, base, agent)))
  return Object.fromEntries(agents.flatMap((agent, i) => (guides[i] ? [[agent, guides[i]]] : [])))
}

async function read(
  userRepository: Pick<UserRepository, 'fileAt'>,
  base: string,
  agent: Agent,
): Promise<RoleGuide | null> {
  const name = `.drydock/roles/${agent}.md`
  const most = limits.roleGuideBytes
  const text = await userRepository.fileAt(base, name, most + 1)
  if (text === null || text.trim() === '') return null
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return { name, text, cut: false }
  // Drops a character that the limit split.
  return {
    name,
    text: bytes
      .subarray(0, most)
      .toString('utf8')
      .replace(/\uFFFD+$/, ''),
    cut: true,
  }
}
