import { z } from 'zod'

/** The full SHA of a commit. */
export const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'must be the full name of a commit')

const line = z.coerce.number().int().min(1).max(1e9)

/** Query of GET /api/runs/:run/lines: a range of lines of a file. */
export const linesQuerySchema = z.object({
  /** The story whose repository is meant, for a Run over several repositories. */
  story: z.string().min(1).max(200).optional(),
  sha: commit,
  /** The path from the root of the repository. */
  path: z.string().min(1).max(4_096),
  start: line,
  /** The number of the last line, inclusive. */
  end: line,
})

/** The existing lines of the range, without line ends. */
export const linesSchema = z.object({
  start: z.int(),
  /** Untrusted. */
  lines: z.array(z.string()),
  /** The number of lines in the file. */
  total: z.int(),
})

export type Lines = z.infer<typeof linesSchema>
