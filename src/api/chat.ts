import { z } from 'zod'
import { decisions } from '../domain/request/open-escalations.ts'

/** An ISO 8601 time. */
const time = z.string()

export const chatMessageSchema = z.object({
  /** Decimal digits; later messages have larger ids. */
  id: z.string(),
  /** `architect`, `editor` or `human`. */
  agent_id: z.string(),
  /** Markdown of a model or a human. Untrusted. */
  content: z.string(),
  timestamp: time,
  reply_to: z.string().nullable(),
  post_type: z.enum(['chat', 'reply', 'escalate']),
  run: z.string(),
  story: z.string().nullable(),
  /** The name of the human's token on a hub. */
  author: z.string().optional(),
  /** True for an escalation that still waits for a human. */
  open: z.boolean(),
  /** The reason why this reply was not used; null for every other message. */
  unused: z.string().nullable(),
})

export type ChatMessage = z.infer<typeof chatMessageSchema>

/** GET /api/runs/:run/chat: messages in order of id. */
export const chatSchema = z.object({ messages: z.array(chatMessageSchema) })

export type Chat = z.infer<typeof chatSchema>

/** A question that waits for a human; `POST /api/messages/:id/reply` answers it. */
export const escalationSchema = z.object({
  id: z.string(),
  run: z.string(),
  story: z.string().nullable(),
  /** The first line of the Run's request, and the title of the story; null without one. */
  run_title: z.string(),
  story_title: z.string().nullable(),
  /** `architect` or `editor`. */
  agent_id: z.string(),
  asked_at: time,
  /** The first paragraph of the question. */
  question: z.string(),
  /** The evidence and earlier tries; may be empty. */
  evidence: z.string(),
  /** Suggested answers to an interview's question, and the index of the recommended one. */
  options: z.array(z.string()),
  recommended: z.int().nullable(),
  /** The words with which a reply must begin; empty if any reply is valid. */
  decisions: z.array(z.enum(decisions)),
  /** Ids of the findings that the question is about. Accepting all of them answers it. */
  findings: z.array(z.string()),
  /** The person to whom a hub has assigned it; null for everybody. */
  assigned_to: z.string().nullable(),
  /** True if a reply is stored and not yet applied, so that nothing is left to do. */
  answered: z.boolean(),
})

export type Escalation = z.infer<typeof escalationSchema>
