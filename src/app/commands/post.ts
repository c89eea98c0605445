import { randomUUID } from 'node:crypto'
import { limits } from '../../domain/limits.ts'
import type { Drydock } from '../drydock.ts'
import { usage } from '../usage.ts'
import { type HandedOver, handOver } from './hand-over.ts'

interface Post {
  readonly run: string
  /** null for a message to the whole Run. */
  readonly story: string | null
  readonly text: string
}

/** Says something in the chat of a Run. DrydockError `bad_usage`. */
export function givePost(drydock: Drydock, { run, story, text }: Post): Promise<HandedOver> {
  return handOver(drydock, `post/${randomUUID()}`, { kind: 'post', run, story, text: checkText(text) })
}

/** A text that a chat can hold. DrydockError `bad_usage`. */
export function checkText(given: string): string {
  const text = given.trim()
  if (text === '') throw usage('The message is empty.', 'Write some text.')
  if (text.length <= limits.chatChars) return text
  throw usage(`The message has ${text.length} characters. At most ${limits.chatChars} are allowed.`, 'Make it shorter.')
}
