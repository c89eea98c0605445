import { z } from 'zod'

/** The workspace that the architect reads. The workflow decides if it may be reached. */
export const coderId = z.string().min(1).max(40).describe('the slot named in the request, e.g. coder-001')

export const optionalCoderId = coderId
  .optional()
  .describe("the slot named in the request, e.g. coder-001; leave it out to read the run branch's tip")
