import { z } from 'zod'

/**
 * The body of every error: 400 for an invalid request, 401 without a session, 403 for a foreign
 * origin or a missing right, 404, 409, 413, 500.
 */
export const apiErrorSchema = z.object({
  /** An error code from docs/errors.md. */
  code: z.string(),
  message: z.string(),
  /** One sentence or one command line with the next step. */
  todo: z.string(),
})

export type ApiError = z.infer<typeof apiErrorSchema>
