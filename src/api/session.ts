import { z } from 'zod'

/** POST /session: the token of a printed link (`#token=…`), which is good for one exchange; answered with 204 and a cookie. */
export const openSessionSchema = z.strictObject({ token: z.string().min(1).max(500) })

export type OpenSession = z.infer<typeof openSessionSchema>
