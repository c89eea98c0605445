import type { Readable, Writable } from 'node:stream'
import { type AnyMessage, methods, type Stream } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { linesIn } from '../../processes/lines-in.ts'
import { AgentBroke, quoted } from './agent-broke.ts'

const id = z.union([z.string(), z.number(), z.null()])
const jsonrpc = z.literal('2.0')
const call = z.looseObject({ jsonrpc, id: id.optional(), method: z.string() })
const result = z.looseObject({ jsonrpc, id, result: z.unknown(), error: z.undefined().optional() })
const error = z.looseObject({
  jsonrpc,
  id,
  result: z.undefined().optional(),
  error: z.looseObject({ code: z.int(), message: z.string() }),
})

export type TurnBounds = Readonly<Record<'turnBytes' | 'turnMessages' | 'lineBytes' | 'strayLines', number>>

export interface MessageStream extends Stream {
  /** Resets the counters, since the bounds apply to each turn. */
  newTurn(): void
}

export interface MessagePipes {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly bounds: TurnBounds
  /** Called for each message that arrives. */
  onMessage(): void
  /**
   * Gets the agent's updates in order, before the answer that ends the turn. The SDK would drop a
   * whole update for one part that it does not know.
   */
  onUpdate(params: unknown): void
}

/**
 * Messages to and from an agent, one per line. Ends with an `AgentBroke` when the agent writes too
 * much, or something outside the protocol. Lines that do not look like a message are skipped up to
 * a limit, since libraries print such lines.
 */
export function messageStream({ stdin, stdout, bounds, onMessage, onUpdate }: MessagePipes): MessageStream {
  /** Requests that have no answer yet. */
  const asked = new Set<unknown>()
  let bytes = 0
  let messages = 0
  let stray = 0

  function onBytes(count: number): void {
    bytes += count
    if (bytes > bounds.turnBytes)
      throw new AgentBroke('flooded', `it wrote more than ${bounds.turnBytes} bytes in one turn`)
  }

  function onOverflow(): never {
    throw new AgentBroke('flooded', `one of its messages has more than ${bounds.lineBytes} bytes`)
  }

  async function* incoming(): AsyncGenerator<AnyMessage> {
    for await (const line of linesIn(stdout, { maxChars: bounds.lineBytes, onBytes, onOverflow })) {
      if (line.trim() === '') continue
      messages += 1
      if (messages > bounds.turnMessages)
        throw new AgentBroke('flooded', `it sent more than ${bounds.turnMessages} messages in one turn`)
      const message = /^\s*\{/.test(line) ? parsed(line) : null
      if (message === null) {
        stray += 1
        if (stray > bounds.strayLines)
          throw new AgentBroke('malformed', `it writes what is no message: ${quoted(line)}`)
        continue
      }
      onMessage()
      if ('method' in message && message.method === methods.client.session.update) onUpdate(message.params)
      else if ('method' in message) yield message
      // An answer without a request is dropped, such as one to a message that the agent could not
      // parse.
      else if (message.id !== null && !asked.delete(message.id))
        throw new AgentBroke('malformed', `it answered what it was not asked: ${quoted(line)}`)
      else if (message.id !== null) yield message
    }
  }

  return {
    readable: ReadableStream.from(incoming()) as ReadableStream<AnyMessage>,
    writable: new WritableStream({
      write(message) {
        if ('method' in message && 'id' in message) asked.add(message.id)
        // A failed write needs no handling: the agent's silence or exit shows that it no longer
        // reads.
        stdin.write(`${JSON.stringify(message)}\n`)
      },
    }),
    newTurn() {
      bytes = 0
      messages = 0
      stray = 0
    },
  }
}

function parsed(line: string): AnyMessage {
  const read = z.union([call, result, error]).safeParse(parsedJson(line))
  if (!read.success) throw new AgentBroke('malformed', `it wrote what is not the protocol: ${quoted(line)}`)
  return read.data as AnyMessage
}
