import { methods } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { AgentFailure, AgentSession, AgentUpdate, TurnEnd } from '../../ports/coding-agent.ts'
import { AgentBroke } from './agent-broke.ts'
import type { AgentBounds, AgentConnection } from './agent-connection.ts'
import type { Handshake } from './handshake.ts'
import { createTurnObserver } from './turn-observer.ts'

const reasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const
/** A reason that this version does not know also ends the turn. */
const answered = z.looseObject({
  stopReason: z.union([z.enum(reasons), z.string().transform(() => 'end_turn' as const)]),
})

export interface SessionInput {
  readonly agent: AgentConnection
  readonly greeted: Handshake
  readonly cwd: string
  readonly bounds: AgentBounds
  failureOf(error: AgentBroke): AgentFailure
}

export function createSession({ agent, greeted, cwd, bounds, failureOf }: SessionInput): AgentSession {
  const sessionId = greeted.id
  let broken: AgentFailure | null = null

  async function turn(text: string, observe: (update: AgentUpdate) => void, signal: AbortSignal): Promise<TurnEnd> {
    const observer = createTurnObserver({ cwd, earlier: agent.state.earlier }, observe)
    const prompt = { sessionId, prompt: [{ type: 'text' as const, text }] }
    Object.assign(agent.state, { observer, isCancelled: false })
    agent.newTurn()
    const cancelling = whenAborted(signal)
    try {
      const answer = await agent.ask('session/prompt', bounds.idleSec, (it) =>
        it.request(methods.agent.session.prompt, prompt),
      )
      const end = answered.safeParse(answer)
      if (!end.success) throw new AgentBroke('malformed', 'its answer to session/prompt names no reason')
      const reason = signal.aborted ? 'cancelled' : end.data.stopReason
      return { type: 'ended', reason, text: observer.end() }
    } catch (error) {
      if (!(error instanceof AgentBroke)) throw error
      if (error.kind !== 'refused') broken = failureOf(error)
      if (signal.aborted) return { type: 'ended', reason: 'cancelled', text: observer.end() }
      observer.end()
      return { type: 'failed', failure: failureOf(error) }
    } finally {
      agent.state.observer = null
      cancelling.stop()
      if (agent.isOver()) await agent.close()
    }
  }

  /** Sends the cancellation, and kills an agent that still works after the grace period. */
  function whenAborted(signal: AbortSignal) {
    let grace: NodeJS.Timeout | undefined
    const cancel = () => {
      agent.state.isCancelled = true
      agent.notify(methods.agent.session.cancel, { sessionId })
      const ignored = new AgentBroke('silent', 'it went on after its turn was cancelled')
      grace = setTimeout(() => agent.state.fail(ignored), bounds.cancelSec * 1_000)
    }
    signal.addEventListener('abort', cancel, { once: true })
    const stop = () => {
      clearTimeout(grace)
      signal.removeEventListener('abort', cancel)
    }
    return { stop }
  }

  return {
    ...greeted,
    async prompt(text, observe, signal) {
      if (broken !== null) return { type: 'failed', failure: broken }
      if (signal.aborted) return { type: 'ended', reason: 'cancelled', text: '' }
      return turn(text, observe, signal)
    },
    close: agent.close,
  }
}
