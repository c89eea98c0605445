import type { Context } from 'hono'

/** The secret that a request has with it in its header, whatever it is worth. */
export function bearerOf({ req }: Context): string {
  return /^Bearer (\S+)$/i.exec(req.header('authorization') ?? '')?.[1] ?? ''
}
