import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { defineAnsweredLater, stated } from './tool.ts'

/** The hypothesis of a change or a plan. */
export const whyRight = 'why this change is right; after a failure, its cause and what shows it'

export const changeInput = () =>
  z.strictObject({
    summary: z.string().min(1).max(8_000).describe('what changed and why; first line: the commit title'),
    hypothesis: stated(z.string().max(4_000).describe(whyRight)),
    remarks: z
      .array(
        z.strictObject({
          id: z.string().min(1).max(40),
          settled: z.boolean(),
          reply: z.string().min(1).max(2_000),
        }),
      )
      .max(limits.remark.batch)
      .optional()
      .describe('what became of each remark'),
    next_slice: z.string().min(1).max(2_000).optional().describe('the slice that follows, if any'),
  })

export const submitChange = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_change',
  purpose: 'Hand the change to the verifier, which answers with its verdict. The last call of its turn.',
  input: changeInput,
  roles: ['editor_coding'],
})
