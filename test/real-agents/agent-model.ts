import type { WireTurn } from '../wire/turn.ts'
import { type Script, startWireServer, type WireRequest } from '../wire/wire-server.ts'
import { type Action, callOf, isConversation } from './agent-hands.ts'

const usage = { input: 1_000, output: 50 }

export interface AgentModel {
  readonly origin: string
  readonly requests: readonly WireRequest[]
  /** Actions for which the agent has no tool. */
  readonly impossible: readonly Action[]
  close(): Promise<void>
}

/**
 * A provider whose model does one action after the other with the agent's tools. The model ends its
 * turn when a call was accepted, as the answer tells it, and when no action is left.
 */
export async function startAgentModel(
  actions: readonly Action[],
  /** Called before an action is answered. */
  before: (action: Action, index: number) => Promise<void> | void = () => undefined,
): Promise<AgentModel> {
  const left = [...actions]
  const impossible: Action[] = []
  const script: Script = async (request) => {
    if (!isConversation(request.body)) return { text: 'A title', usage }
    if (lastOf(request.body).includes('is accepted. End your turn now')) return { text: 'I have handed it in.', usage }
    // An agent without Drydock's tools cannot hand in anything: its files are taken when it ends
    // its turn again.
    const isAsked = lastOf(request.body).includes('you have handed nothing in')
    if (isAsked && callOf({ tool: 'submit_change', input: {} }, request.body) === null)
      return { text: 'That is all.', usage }
    const index = actions.length - left.length
    const action = left.shift()
    if (action !== undefined) await before(action, index)
    return { ...turnOf(action, request), usage }
  }

  function turnOf(action: Action | undefined, { body }: WireRequest): WireTurn {
    if (action === undefined) return { text: 'I am done.' }
    if ('say' in action) return { text: action.say }
    const call = callOf(action, body)
    if (call !== null) return { calls: [call] }
    impossible.push(action)
    return { text: 'I am done.' }
  }

  const server = await startWireServer(script)
  return { ...server, impossible }
}

// biome-ignore lint/suspicious/noExplicitAny: the body of any provider's request.
function lastOf({ messages, input, contents }: any): string {
  return JSON.stringify((messages ?? input ?? contents ?? []).at(-1) ?? '')
}
