import { PassThrough, Readable } from 'node:stream'
import fc from 'fast-check'
import { expect } from 'vitest'
import { AgentBroke } from '../../../src/adapters/acp/agent-broke.ts'
import { messageStream } from '../../../src/adapters/acp/message-stream.ts'
import { createTurnObserver } from '../../../src/adapters/acp/turn-observer.ts'
import { seenUpdate } from '../../../src/adapters/acp/update-shapes.ts'
import { limits } from '../../../src/domain/limits.ts'
import type { AgentUpdate } from '../../../src/ports/coding-agent.ts'
import { damaged, mangled, nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const text = (words: string) => ({ type: 'text', text: words })
const updates: readonly unknown[] = [
  { sessionUpdate: 'agent_message_chunk', content: text('Hello'), messageId: '1' },
  { sessionUpdate: 'agent_thought_chunk', content: text('What now?') },
  {
    sessionUpdate: 'tool_call',
    toolCallId: 'a',
    title: 'Read',
    kind: 'read',
    status: 'pending',
    locations: [{ path: '/repo/src/a.ts', line: 3 }],
    rawInput: { path: 'src/a.ts' },
  },
  {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'a',
    status: 'completed',
    rawOutput: { lines: 3 },
    content: [
      { type: 'content', content: text('three lines') },
      { type: 'diff', path: '/repo/src/b.ts', newText: 'b' },
    ],
  },
  { sessionUpdate: 'plan', entries: [{ content: 'first', priority: 'high', status: 'pending' }] },
]
const jsonrpc = '2.0'
const messages: readonly unknown[] = [
  ...updates.map((update) => ({ jsonrpc, method: 'session/update', params: { sessionId: 's', update } })),
  { jsonrpc, id: 7, method: 'session/request_permission', params: { options: [] } },
  { jsonrpc, id: 1, result: { stopReason: 'end_turn' } },
  { jsonrpc, id: 1, error: { code: -32_000, message: 'no' } },
]
const asText = (value: unknown): string => JSON.stringify(value) ?? 'undefined'
const line = fc.oneof(
  ...messages.map((message) => damaged(fc.constant(message)).map(asText)),
  mangled(fc.constantFrom(...messages.map(asText))),
  nasty,
)
const inputs = fc.array(line, { maxLength: 8 })

/** The messages that an agent writes to its standard output. */
export const agentMessages: FuzzTarget<readonly string[]> = {
  name: 'agent-messages',
  async open() {
    return { inputs, check: (lines) => listen(`${lines.join('\n')}\n`) }
  },
}

async function listen(written: string): Promise<void> {
  const seen: AgentUpdate[] = []
  const observer = createTurnObserver({ cwd: '/repo', earlier: new Set() }, (update) => seen.push(update))
  const { readable } = messageStream({
    stdin: new PassThrough(),
    stdout: Readable.from([Buffer.from(written)]),
    bounds: limits.agents,
    onMessage: () => undefined,
    onUpdate(params) {
      const update = seenUpdate(params)
      if (update !== null) observer.see(update)
    },
  })
  try {
    for await (const message of readable) expect(message).toHaveProperty('method')
  } catch (error) {
    if (!(error instanceof AgentBroke)) throw error
    expectPlain(error.message)
  }
  observer.end()
  for (const update of seen) for (const words of textsOf(update)) expectPlain(words)
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** The text may be printed on a terminal, and stored. */
function expectPlain(words: string): void {
  expect(words).not.toMatch(/(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
  expect(words.isWellFormed()).toBe(true)
  expect(words.length).toBeLessThan(limits.agents.textChars + 100)
}
