import { expect, test } from 'vitest'
import type { ChatMessage } from '../../../src/domain/chat.ts'
import { unusedReplies } from '../../../src/domain/request/unused-replies.ts'

const said = (id: string, more: Partial<ChatMessage>): ChatMessage => ({
  id,
  agent_id: 'human',
  content: 'x',
  timestamp: '',
  reply_to: null,
  post_type: 'reply',
  run: 'r',
  story: null,
  ...more,
})
const asked = said('1', { agent_id: 'editor', post_type: 'escalate' })
const replies = ['2', '3'].map((id) => said(id, { reply_to: '1' }))
const none = new Set<string>()

test('of several replies to a question the event names the one that was used', () => {
  const thread = [asked, ...replies]
  expect([...unusedReplies(thread, [{ id: '1', message: '3' }], none)]).toEqual([['2', 'message 3 is the answer']])
  // An older Drydock did not store the answer: it was the first reply.
  expect([...unusedReplies(thread, [{ id: '1' }], none)]).toEqual([['3', 'message 2 is the answer']])
})

test('a reply to a question that nobody waited for any more was not used', () => {
  const why = 'nobody waited for an answer'
  expect([...unusedReplies([asked, ...replies], [], none)]).toEqual([
    ['2', why],
    ['3', why],
  ])
})

test('a reply that was given and not yet taken is none of them', () => {
  expect(unusedReplies([asked, ...replies], [], new Set(['1'])).size).toBe(0)
})

test('a message without a question is not an unused reply, and neither is an agent’s message', () => {
  const chat = said('1', { agent_id: 'architect', post_type: 'chat' })
  expect(unusedReplies([chat, ...replies], [], none).size).toBe(0)
  const byAgent = said('2', { agent_id: 'architect', reply_to: '1' })
  expect(unusedReplies([asked, byAgent], [], none).size).toBe(0)
})
