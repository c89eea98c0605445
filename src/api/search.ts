import { z } from 'zod'
import { limits } from '../domain/limits.ts'

/** Query of GET /api/search. */
export const searchQuerySchema = z.object({
  /** Words that must all occur in a result, in any order. */
  text: z.string().trim().min(1).max(limits.search.queryChars),
  /** The Run whose results come first. */
  run: z.string().max(100).optional(),
})

export const foundKinds = ['run', 'story', 'file', 'test', 'message'] as const

/** A search result, with the data for a link to it. */
export const foundSchema = z.object({
  kind: z.enum(foundKinds),
  /** The text with the words: a title, a path, a test's name, or a part of a message. Untrusted. */
  text: z.string(),
  run: z.string(),
  /** The title of its Run. */
  run_title: z.string(),
  /** Null for a result that belongs to the Run itself. */
  story: z.string().nullable(),
  /** The id of the result; for a test, the newest verification that names it. */
  id: z.string(),
})

export type SearchResults = z.infer<typeof foundSchema>

/** GET /api/search: the best results of each kind. */
export const searchSchema = z.object({
  found: z.array(foundSchema),
  /** The number of further results. */
  more: z.int(),
  /** The number of Runs that were not searched yet. A repeated search continues with them. */
  unread: z.int(),
})

export type Search = z.infer<typeof searchSchema>
