import { setTimeout as delay } from 'node:timers/promises'
import { type ClientContext, RequestError } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { RunningProgram } from '../../ports/sandbox-program.ts'
import { AgentBroke, quoted } from './agent-broke.ts'
import { type ClientState, clientSide } from './client-side.ts'
import { messageStream, type TurnBounds } from './message-stream.ts'
import { messageOf } from './turn-observer.ts'
import { seenUpdate } from './update-shapes.ts'

export type AgentBounds = TurnBounds &
  Readonly<Record<'startSec' | 'sessionSec' | 'openSec' | 'idleSec' | 'cancelSec' | 'closeSec', number>>

export interface AgentConnection {
  readonly state: ClientState
  /** Resets the counters of the bounds, which apply to each turn. */
  newTurn(): void
  /**
   * Waits for the answer to `send`, as long as the agent writes a message at least every `seconds`.
   * Throws an `AgentBroke`, or the error that `state.fail` was called with.
   */
  ask<T>(what: string, seconds: number, send: (agent: ClientContext) => Promise<T>): Promise<T>
  notify(method: string, params: unknown): void
  /** The connection is closed, so no further request can be sent. */
  isOver(): boolean
  /** Ends the agent, after a moment in which it can exit by itself. */
  close(): Promise<void>
}

const details = z.union([z.string(), z.looseObject({ details: z.string() }).transform((data) => data.details)])

/** Speaks the protocol with a running agent. */
export function connectAgent(program: RunningProgram, bounds: AgentBounds): AgentConnection {
  let silence: NodeJS.Timeout | undefined
  let cause: unknown = null
  let closing: Promise<void> | undefined
  const { stdin, stdout } = program
  const state: ClientState = { observer: null, earlier: new Set(), isCancelled: false, fail }
  const stream = messageStream({
    stdin,
    stdout,
    bounds,
    onMessage: () => silence?.refresh(),
    onUpdate(params) {
      const update = seenUpdate(params)
      try {
        if (update === null) return
        const message = messageOf(update)
        if (state.observer !== null) state.observer.see(update)
        else if (message !== null) state.earlier.add(message)
      } catch (error) {
        fail(error)
      }
    },
  })
  const connection = clientSide(state).connect(stream)

  function fail(error: unknown): void {
    cause ??= error
    connection.close(error)
  }

  /** Says why a request got no answer. */
  async function reasonOf(error: unknown, what: string): Promise<unknown> {
    if (cause !== null) return cause
    if (error instanceof AgentBroke) return error
    if (error instanceof RequestError) {
      const more = details.safeParse(error.data)
      const words = more.success && more.data !== error.message ? `${error.message}: ${more.data}` : error.message
      return new AgentBroke('refused', `it answered ${what} with an error: ${quoted(words)}`, error.code)
    }
    return ending()
  }

  async function ending(): Promise<AgentBroke> {
    const end = await Promise.race([program.ended, delay(bounds.cancelSec * 1_000, null, { ref: false })])
    if (end === null) return new AgentBroke('died', 'it closed its standard output')
    if (end.spaceTaken !== null) return new AgentBroke('sandbox', end.spaceTaken)
    const how = end.exitCode === null ? 'it was killed' : `it ended with exit code ${end.exitCode}`
    return new AgentBroke('died', withLastWords(how))
  }

  function withLastWords(sentence: string): string {
    const words = quoted(program.lastWords())
    return words === '' ? sentence : `${sentence}. Its last words: ${words}`
  }

  return {
    state,
    newTurn: stream.newTurn,
    async ask(what, seconds, send) {
      silence = setTimeout(() => {
        fail(new AgentBroke('silent', withLastWords(`it said nothing to ${what} for ${seconds} seconds`)))
      }, seconds * 1_000)
      try {
        return await send(connection.agent)
      } catch (error) {
        throw await reasonOf(error, what)
      } finally {
        clearTimeout(silence)
      }
    },
    notify(method, params) {
      // The pending request already reports that the agent is gone.
      connection.agent.notify(method, params).catch(() => undefined)
    },
    isOver: () => connection.signal.aborted,
    close() {
      closing ??= (async () => {
        connection.close()
        stdin.end()
        await Promise.race([program.ended, delay(bounds.closeSec * 1_000, null, { ref: false })])
        await program.close()
      })()
      return closing
    },
  }
}
