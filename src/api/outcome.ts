import { z } from 'zod'
import { outcomeCodes, outcomeTones } from '../domain/run/outcome.ts'

/** The one thing to say of a Run, in the words that the terminal uses, too. */
export const outcomeSchema = z.object({
  code: z.enum(outcomeCodes),
  /** One sentence. */
  sentence: z.string(),
  tone: z.enum(outcomeTones),
})

export type Outcome = z.infer<typeof outcomeSchema>
