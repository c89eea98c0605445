import { setTimeout as delay } from 'node:timers/promises'
import type { Installation } from '../../../app/installation.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { type Check, failed } from './check.ts'

const consequence = '`drydock land --pr` and `drydock forge watch` do not work.'

/** Checks the token for the forge of `origin`. A remote at no known forge needs none. */
export async function checkForge(drydock: Pick<Installation, 'user' | 'remotes' | 'openForge'>): Promise<Check[]> {
  try {
    const forge = await drydock.openForge(await drydock.remotes.url('origin'), null)
    const answer = forge.findChange(drydock.user.target ?? 'main').then(() => true)
    const isSeen = await Promise.race([answer, delay(limits.forge.doctorMs, false, { ref: false })])
    answer.catch(() => undefined)
    const about = `${forge.name}: ${forge.project}`
    if (isSeen) return [{ name: 'forge', ok: true, found: `${about} is visible to the token`, exit: 0 }]
    return [
      { name: 'forge', ok: true, found: `${about}; it does not answer`, fix: 'Try again later.', consequence, exit: 0 },
    ]
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    const { code, message: found, todo: fix } = error
    if (code === 'forge_refused' || code === 'forge_not_found') return [failed('forge', error, consequence)]
    if (code === 'no_forge_token' || code.startsWith('forge_un') || code === 'forge_rate_limited')
      return code === 'forge_unknown' ? [] : [{ name: 'forge', ok: true, found, fix, consequence, exit: 0 }]
    return []
  }
}
