import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { escalationSchema } from './chat.ts'
import { runLineSchema } from './runs.ts'

/** A repository that Drydock has worked on, as its own state describes it. */
export const repositorySchema = z.object({
  /** The name of its state. */
  id: z.string(),
  /** The name of its folder. */
  name: z.string(),
  /** The repository's folder; null if only older versions have worked on the state. */
  path: z.string().nullable(),
  /** `gone`: its path no longer exists, or contains another repository. */
  place: z.enum(['here', 'gone', 'unknown']),
  /** True if this server serves it. */
  current: z.boolean(),
  /** True if a process works on it now. */
  owned: z.boolean(),
  /** The reason why its state cannot be read; null if it can. */
  problem: z.object({ message: z.string(), todo: z.string() }).nullable(),
  /** The newest Runs of the repository, newest first. */
  runs: z.array(runLineSchema),
  total_runs: z.int(),
  /** Open questions of all its Runs, oldest first. */
  escalations: z.array(escalationSchema),
})

export type Repository = z.infer<typeof repositorySchema>

/** GET /api/repositories: the served repository first, the others by name. */
export const repositoryListSchema = z.object({ repositories: z.array(repositorySchema) })

export type RepositoryList = z.infer<typeof repositoryListSchema>

/**
 * POST /api/repositories/:id/open: a one-time link that signs in to the repository's own server.
 */
export const openedRepositorySchema = z.object({ link: z.string() })

export type OpenedRepository = z.infer<typeof openedRepositorySchema>

/** POST /api/repositories/:id/reply: an answer to a question of another repository. */
export const replyElsewhereSchema = z.strictObject({
  message: z.string().max(100),
  text: z.string().trim().min(1).max(limits.chatChars),
})

export type ReplyElsewhere = z.input<typeof replyElsewhereSchema>
