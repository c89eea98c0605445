import { z } from 'zod'
import { limits } from '../domain/limits.ts'

/** Query of GET /api/search. */
export const searchQuerySchema = z.object({
  /** Words that all have to be in what is found, in any order. */
  text: z.string().trim().min(1).max(limits.search.queryChars),
  /** The Run whose things come first. */
  run: z.string().max(100).optional(),
})

export const foundKinds = ['run', 'story', 'file', 'test', 'message'] as const

/** Something that was found, with what it takes to lead to it. */
export const foundSchema = z.object({
  kind: z.enum(foundKinds),
  /** Where the words are: a title, a path, a test's name, a part of a message. Never trusted. */
  text: z.string(),
  run: z.string(),
  /** Title of that Run. */
  run_title: z.string(),
  /** Null for what belongs to the Run itself. */
  story: z.string().nullable(),
  /** The id of what was found; of a test, that of the newest verification that names it. */
  id: z.string(),
})

export type SearchResults = z.infer<typeof foundSchema>

/** GET /api/search: the best of each kind. */
export const searchSchema = z.object({
  found: z.array(foundSchema),
  /** What was found besides. */
  more: z.int(),
  /** Runs that have not been looked at yet: the same question again looks further. */
  unread: z.int(),
})

export type Search = z.infer<typeof searchSchema>
