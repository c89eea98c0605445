import { z } from 'zod'

/**
 * What every route answers when it does not do what was asked: 400 for what is asked wrongly, 401
 * without a session, 403 from elsewhere, 404, 409, 413, 500.
 */
export const apiErrorSchema = z.object({
  /** From docs/errors.md. */
  code: z.string(),
  message: z.string(),
  /** One sentence or one command line: what to do now. */
  todo: z.string(),
})

export type ApiError = z.infer<typeof apiErrorSchema>
