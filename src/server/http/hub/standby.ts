import type { MiddlewareHandler } from 'hono'
import { routes } from '../../../api/routes.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { refusal } from '../refusal.ts'

/** The hub that is active instead of this one; null while this one is. */
export type Standby = () => Promise<{ readonly active: string | null } | null>

/** Routes that a standby hub serves itself: its own metrics. */
const answered: readonly string[] = [routes.metrics.path]

/**
 * Refuses requests to a hub on standby, and tells admitted clients the address of the active one.
 * Files of the dashboard are served, since they are identical at every hub.
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
