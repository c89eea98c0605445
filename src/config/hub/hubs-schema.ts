import { z } from 'zod'
import { problemOfHubUrl } from './hub-url.ts'

const hub = z.strictObject({
  url: z
    .string()
    .superRefine((url, context) => {
      const problem = problemOfHubUrl(url)
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
    })
    .describe('Address of the hub, such as https://hub.example.com:4517.'),
})

/** The hub of each repository, by its absolute path. */
export const hubsSchema = z.record(z.string().startsWith('/', { error: 'must be an absolute path' }), hub)
