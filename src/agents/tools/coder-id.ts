import { z } from 'zod'

/**
 * Which workspace the architect reads. Whether this one may be reached is the workflow's to say.
 */
export const coderId = z.string().min(1).max(40).describe('the slot that a request names, e.g. coder-001')

export const optionalCoderId = coderId
  .optional()
  .describe("the slot that a request names, e.g. coder-001; leave it out to read the run branch's tip")
