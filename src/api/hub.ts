import { z } from 'zod'

const time = z.iso.datetime()
const role = z.enum(['viewer', 'operator', 'admin', 'worker', 'monitor'])

/** Who is signed in on a hub, and what they may do there: the page shows nothing else. */
export const actorSchema = z.object({
  name: z.string(),
  role,
  may: z.array(z.enum(['monitor', 'viewer', 'operator', 'admin', 'worker'])).readonly(),
})

/** GET /api/tokens: never a token itself. A person of a provider has none. */
export const tokenListSchema = z.object({
  tokens: z.array(
    z.object({
      name: z.string(),
      role,
      created_at: time,
      expires_at: time.nullable(),
      last_used_at: time.nullable(),
      expired: z.boolean(),
      person: z.boolean(),
    }),
  ),
})

/** POST /api/tokens */
export const addTokenSchema = z.strictObject({
  name: z.string().max(100),
  role,
  /** Such as `90d`. */
  expires: z.string().max(20).optional(),
})

/** The token is shown here, and never again. */
export const addedTokenSchema = z.object({ token: z.string(), expires_at: time.nullable() })

export type TokenList = z.infer<typeof tokenListSchema>
export type AddToken = z.infer<typeof addTokenSchema>
export type AddedToken = z.infer<typeof addedTokenSchema>
