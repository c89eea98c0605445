import { z } from 'zod'
import { decisions } from '../domain/request/open-escalations.ts'

/** ISO 8601. */
const time = z.string()

export const chatMessageSchema = z.object({
  /** Decimal digits, growing. */
  id: z.string(),
  /** `architect`, `editor` or `human`. */
  agent_id: z.string(),
  /** Markdown of a model or a human: never trusted. */
  content: z.string(),
  timestamp: time,
  reply_to: z.string().nullable(),
  post_type: z.enum(['chat', 'reply', 'escalate']),
  run: z.string(),
  story: z.string().nullable(),
  /** On a hub, of a human's: the name of the token. */
  author: z.string().optional(),
  /** An escalation that still waits for a human. */
  open: z.boolean(),
  /** Why this reply to a question was not used; null for every other message. */
  unused: z.string().nullable(),
})

export type ChatMessage = z.infer<typeof chatMessageSchema>

/** GET /api/runs/:run/chat, in order of id. */
export const chatSchema = z.object({ messages: z.array(chatMessageSchema) })

export type Chat = z.infer<typeof chatSchema>

/** A question that waits for a human; `POST /api/messages/:id/reply` answers it. */
export const escalationSchema = z.object({
  id: z.string(),
  run: z.string(),
  story: z.string().nullable(),
  /** The first line of what the Run is about, and the title of the story; null for none. */
  run_title: z.string(),
  story_title: z.string().nullable(),
  /** `architect` or `editor`. */
  agent_id: z.string(),
  asked_at: time,
  /** In its first words. */
  question: z.string(),
  /** What was tried and what it rests on; may be empty. */
  evidence: z.string(),
  /** Suggested answers of a question of an interview, and the number of the recommended one. */
  options: z.array(z.string()),
  recommended: z.int().nullable(),
  /** First words that the reply must choose from; empty for a question that any words answer. */
  decisions: z.array(z.enum(decisions)),
  /** Ids of the findings that it is about: accepting all of them answers it. */
  findings: z.array(z.string()),
  /** On a hub: whom it is for; null for everybody. */
  assigned_to: z.string().nullable(),
  /** A reply is stored and not taken up yet: there is nothing to do. */
  answered: z.boolean(),
})

export type Escalation = z.infer<typeof escalationSchema>
