import { z } from 'zod'
import { outcomeCodes, outcomeTones } from '../domain/run/outcome-table.ts'

/** The summary of a Run, in the words that the terminal uses, too. */
export const outcomeSchema = z.object({
  code: z.enum(outcomeCodes),
  /** The outcome in one sentence. */
  sentence: z.string(),
  /** A short text to show instead of the code, such as `Done, 3 findings to accept`. */
  label: z.string().optional(),
  tone: z.enum(outcomeTones),
})

export type Outcome = z.infer<typeof outcomeSchema>
