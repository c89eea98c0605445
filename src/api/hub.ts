import { z } from 'zod'

const time = z.iso.datetime()
const role = z.enum(['viewer', 'operator', 'admin', 'worker'])

/** Who is signed in on a hub. */
export const actorSchema = z.object({ name: z.string(), role })

export type Actor = z.infer<typeof actorSchema>

/** GET /api/tokens: never a token itself. */
export const tokenListSchema = z.object({
  tokens: z.array(
    z.object({
      ...{ name: z.string(), role, created_at: time, expires_at: time.nullable(), last_used_at: time.nullable() },
      expired: z.boolean(),
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
