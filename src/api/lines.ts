import { z } from 'zod'

/** The full name of a commit. */
export const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'must be the full name of a commit')

const line = z.coerce.number().int().min(1).max(1e9)

/** GET /api/runs/:run/lines: which lines of which file. */
export const linesQuerySchema = z.object({
  /** Of a Run over several repositories: its repository is meant. */
  story: z.string().min(1).max(200).optional(),
  sha: commit,
  /** From the top of the repository. */
  path: z.string().min(1).max(4_096),
  start: line,
  /** The last one, included. */
  end: line,
})

/** Those of the lines that the file has, without what ends them. */
export const linesSchema = z.object({
  start: z.int(),
  /** Never trusted. */
  lines: z.array(z.string()),
  /** How many the file has. */
  total: z.int(),
})

export type Lines = z.infer<typeof linesSchema>
