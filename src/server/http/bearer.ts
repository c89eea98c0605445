import type { Context } from 'hono'

/** The unchecked secret of a request's Authorization header; empty without one. */
export function bearerOf({ req }: Context): string {
  return /^Bearer (\S+)$/i.exec(req.header('authorization') ?? '')?.[1] ?? ''
}
