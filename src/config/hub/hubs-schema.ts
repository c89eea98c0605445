import { z } from 'zod'
import { problemOfHubUrls } from './hub-url.ts'

const hub = z.strictObject({
  url: z
    .string()
    .superRefine((url, context) => {
      const problem = problemOfHubUrls(url)
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
    })
    .describe(
      'Address of the hub, such as https://hub.example.com:4517. Several have a comma between them: one that is on standby is left for another.',
    ),
})

/** The hub of each repository, by the repository's absolute path. */
export const hubsSchema = z.record(z.string().startsWith('/', { error: 'must be an absolute path' }), hub)
