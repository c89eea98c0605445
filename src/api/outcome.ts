import { z } from 'zod'
import { outcomeCodes, outcomeTones } from '../domain/run/outcome-table.ts'

/** The one thing to say of a Run, in the words that the terminal uses, too. */
export const outcomeSchema = z.object({
  code: z.enum(outcomeCodes),
  /** One sentence. */
  sentence: z.string(),
  /** A few words in place of the code, where these say more: `Done, 3 findings to accept`. */
  label: z.string().optional(),
  tone: z.enum(outcomeTones),
})

export type Outcome = z.infer<typeof outcomeSchema>
