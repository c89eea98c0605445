import { z } from 'zod'
import { parseIdentity } from '../domain/identity.ts'
import { limits } from '../domain/limits.ts'
import { isUsersTrailer } from '../domain/story/commit-message.ts'

const author = z
  .string()
  .refine((value) => value === 'user' || parseIdentity(value) !== null, {
    error: 'must be "user" or look like Name <email>',
  })
  .describe('Author of the commits: "user" for the name and email that git has, or "Name <email>". Else Drydock.')

const trailer = z.string().max(limits.trailerChars).refine(isUsersTrailer, {
  error: 'must be one line like "Co-authored-by: Name <email>", and no trailer that Drydock writes itself',
})

const signing = z
  .string()
  .regex(/^(\/|~\/)/, { error: 'must be absolute or start with "~/"' })
  .describe('SSH key that signs the commits: a private key, or a public one whose private half the agent has.')

/** The author and trailers of handed-over commits. */
export const commitSchema = z.strictObject({
  author: author.exactOptional(),
  signing: signing.exactOptional(),
  trailers: z.array(trailer).max(limits.trailers).default([]).describe('Lines added to the trailers of each commit.'),
})
