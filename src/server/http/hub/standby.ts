import type { MiddlewareHandler } from 'hono'
import { routes } from '../../../api/routes.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { refusal } from '../refusal.ts'

/** The hub that does the work in place of this one; null while this one does. */
export type Standby = () => Promise<{ readonly active: string | null } | null>

/** A standby has figures of its own. */
const answered: readonly string[] = [routes.metrics.path]

/**
 * Refuses what is asked of a hub on standby, and names the active one to whom it knows. Files of
 * the dashboard are the same everywhere.
 */
export function refuseOnStandby(standby: Standby): MiddlewareHandler {
  return async (c, next) => {
    const { path } = c.req
    const isAsking = ['/api', '/session', '/git'].some((part) => path === part || path.startsWith(`${part}/`))
    const other = isAsking && !answered.includes(path) ? await standby() : null
    if (other === null) return next()
    const at = c.get('asker') && other.active !== null ? `: ${other.active}` : ''
    const message = `This hub is on standby. Another one is active${at}.`
    return refusal(
      c,
      new DrydockError('hub_standby', message, {
        todo: 'Ask the active hub. This one takes over when that one ends.',
      }),
    )
  }
}
