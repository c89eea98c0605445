import { z } from 'zod'

/** Query of GET /api/hub. */
export const hubQuerySchema = z.object({
  /** A commit that the client would start from. */
  commit: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be the whole id of a commit')
    .optional(),
})

/** GET /api/hub: what a client must know of a hub before it works with it. */
export const hubFactsSchema = z.object({
  version: z.string(),
  /** The version of the protocol between clients and hubs; both must have the same one. */
  protocol: z.int(),
  /** The owner of the token, whose role is next. */
  name: z.string(),
  role: z.enum(['viewer', 'operator', 'admin', 'worker', 'monitor']),
  /** The name of the repository's folder. */
  repository: z.string(),
  /** The commit that runs start from where none is named; null where there is none. */
  head: z.string().nullable(),
  /** True if the repository has the requested commit. */
  known: z.boolean(),
  /** The commits without parents that its head stands on. */
  roots: z.array(z.string()),
  /** The public key (PEM) of its receipts; null before the first. */
  receipt_key: z.string().nullable(),
})

export type HubFacts = z.infer<typeof hubFactsSchema>
