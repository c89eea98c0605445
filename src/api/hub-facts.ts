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
  /** The version of the protocol between clients and hubs; it must be equal on both sides. */
  protocol: z.int(),
  /** The name and the role of the token. */
  name: z.string(),
  role: z.enum(['viewer', 'operator', 'admin', 'worker', 'monitor']),
  /** The name of the repository's folder. */
  repository: z.string(),
  /** The commit that runs start from where none is named; null where there is none. */
  head: z.string().nullable(),
  /** True if the repository has the commit that was asked for. */
  known: z.boolean(),
  /** The commits without parents that its head stands on. */
  roots: z.array(z.string()),
  /** The public key (PEM) of its receipts; null before the first. */
  receipt_key: z.string().nullable(),
})

export type HubFacts = z.infer<typeof hubFactsSchema>
