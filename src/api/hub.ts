import { z } from 'zod'

const time = z.iso.datetime()
const role = z.enum(['viewer', 'operator', 'admin', 'worker', 'monitor'])

/** The person who is signed in on a hub, with the rights that decide what the page shows. */
export const actorSchema = z.object({
  name: z.string(),
  role,
  may: z.array(z.enum(['monitor', 'viewer', 'operator', 'admin', 'worker'])).readonly(),
})

/** GET /api/tokens: lists tokens without their secrets. A person of a provider has no token. */
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

/** POST /api/tokens: adds a token. */
export const addTokenSchema = z.strictObject({
  name: z.string().max(100),
  role,
  /** A duration such as `90d`. */
  expires: z.string().max(20).optional(),
})

/** The only response that contains the token. */
export const addedTokenSchema = z.object({ token: z.string(), expires_at: time.nullable() })

export type TokenList = z.infer<typeof tokenListSchema>
export type AddToken = z.infer<typeof addTokenSchema>
export type AddedToken = z.infer<typeof addedTokenSchema>
