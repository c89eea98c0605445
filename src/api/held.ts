import { z } from 'zod'
import { acceptSchema, cancelSchema, nothingSchema, replySchema } from './commands.ts'
import { landSchema } from './finish.ts'

const id = z.string().min(1).max(4_096)

/** POST /api/held: a command that is given ten seconds later, and can be undone until then. */
export const holdSchema = z.discriminatedUnion('give', [
  z.strictObject({ give: z.literal('cancel'), run: id, reason: cancelSchema.shape.reason }),
  z.strictObject({
    give: z.literal('accept'),
    run: id,
    accept: acceptSchema,
    /** An answer to a question, given directly after the findings have been accepted. */
    answer: z.strictObject({ message: id, text: replySchema.shape.text }).optional(),
  }),
  z.strictObject({ give: z.literal('land'), run: id, land: landSchema }),
  z.strictObject({ give: z.literal('reply'), message: id, text: replySchema.shape.text }),
])

export type Hold = z.input<typeof holdSchema>

/** A held command, or one that was refused after its delay. */
export const heldLineSchema = z.object({
  id: z.string(),
  run: z.string().nullable(),
  /** A description of the command. */
  text: z.string(),
  /** The person who gave it, on a hub. */
  by: z.string().nullable(),
  /** ISO 8601 time at which it is given. */
  until: z.string(),
  problem: z.object({ code: z.string(), message: z.string(), todo: z.string() }).nullable(),
})

export const undoneSchema = z.object({ id: z.string() })

export type HeldLine = z.infer<typeof heldLineSchema>

export const heldRoutes = {
  hold: {
    method: 'post',
    role: 'operator',
    path: '/api/held',
    what: 'cancel, accept, land or answer in ten seconds, in which it can be taken back',
    body: holdSchema,
    answer: heldLineSchema,
    status: 202,
  },
  undoHeld: {
    method: 'post',
    role: 'operator',
    path: '/api/held/:id/undo',
    what: 'take back what is not given yet',
    body: nothingSchema,
    answer: undoneSchema,
  },
} as const
