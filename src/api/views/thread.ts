import { z } from 'zod'
import type { ChatMessage } from '../../domain/chat.ts'
import { chatMessageSchema } from '../chat.ts'
import { typed } from './typed.ts'
import { idSchema } from './work.ts'

/** Query of GET /api/thread. */
export const threadQuerySchema = z.object({
  id: idSchema,
  /** The name of a story of the Run. */
  story: z.string().max(500).optional(),
})

/** A message, whether it waits for an answer, and why it was not used as one. */
type ChatLine = ChatMessage & {
  readonly open: boolean
  readonly unused: string | null
  readonly findings: readonly string[]
  readonly assigned_to: string | null
}

/** GET /api/thread: the messages of the Run or of one of its stories, in order of id. */
export const threadSchema = z.object({
  run: z.string(),
  /** The name of the story; null for a whole Run. */
  story: z.string().nullable(),
  messages: z
    .array(
      typed<ChatLine>(
        chatMessageSchema.extend({
          /** Ids of the findings that an open question is about; empty for any other message. */
          findings: z.array(z.string()),
          /** The person of a hub whom an open question is for; null for everybody. */
          assigned_to: z.string().nullable(),
        }),
      ),
    )
    .readonly(),
})

export type Thread = z.infer<typeof threadSchema>
