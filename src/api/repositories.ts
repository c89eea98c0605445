import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { escalationSchema } from './chat.ts'
import { runLineSchema } from './runs.ts'

/** A repository that Drydock has worked on, as its own state tells. */
export const repositorySchema = z.object({
  /** Names its state. */
  id: z.string(),
  /** Of its folder. */
  name: z.string(),
  /** Its folder; null in a state that only older versions have worked on. */
  path: z.string().nullable(),
  /** `gone`: nothing is at its path any more, or another repository. */
  place: z.enum(['here', 'gone', 'unknown']),
  /** Whether this server serves it. */
  current: z.boolean(),
  /** Whether a process works on it now. */
  owned: z.boolean(),
  /** Why its state cannot be read; null when it can. */
  problem: z.object({ message: z.string(), todo: z.string() }).nullable(),
  /** The newest, newest first. */
  runs: z.array(runLineSchema),
  total_runs: z.int(),
  /** Of all its Runs, oldest first. */
  escalations: z.array(escalationSchema),
})

export type Repository = z.infer<typeof repositorySchema>

/** GET /api/repositories: the one that is served first, then by name. */
export const repositoryListSchema = z.object({ repositories: z.array(repositorySchema) })

export type RepositoryList = z.infer<typeof repositoryListSchema>

/** POST /api/repositories/:id/open: a link that signs in to the repository's own server, once. */
export const openedRepositorySchema = z.object({ link: z.string() })

export type OpenedRepository = z.infer<typeof openedRepositorySchema>

/** POST /api/repositories/:id/reply: an answer to a question of another repository. */
export const replyElsewhereSchema = z.strictObject({
  message: z.string().max(100),
  text: z.string().trim().min(1).max(limits.chatChars),
})

export type ReplyElsewhere = z.input<typeof replyElsewhereSchema>
