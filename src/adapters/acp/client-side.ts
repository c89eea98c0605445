import { type ClientApp, client, methods, type PermissionOption, RequestError } from '@agentclientprotocol/sdk'
import { limits } from '../../domain/limits.ts'
import { plainLine } from '../../domain/plain-text.ts'
import { version } from '../../processes/installation.ts'
import type { TurnObserver } from './turn-observer.ts'

const { titleChars } = limits.agents

export interface ClientState {
  /**
   * Null between turns, and while a session is loaded, since the agent then repeats its history.
   */
  observer: TurnObserver | null
  /**
   * Ids of messages from before this turn, so that their late pieces are not taken for new
   * messages.
   */
  readonly earlier: Set<string>
  /** True if the turn was cancelled, so every further permission is refused. */
  isCancelled: boolean
  /** Called when the agent does something that must end it. */
  fail(error: unknown): void
}

/**
 * Drydock's side of the protocol. Drydock offers neither files nor terminals, since the agent has
 * its own.
 */
export function clientSide(state: ClientState): ClientApp {
  const observed = (look: (observer: TurnObserver) => void) => {
    try {
      if (state.observer !== null) look(state.observer)
    } catch (error) {
      state.fail(error)
    }
  }
  return client({ name: 'drydock' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const chosen = state.isCancelled ? null : permitted(params.options)
      const title = plainLine(params.toolCall.title ?? '', titleChars)
      const answer = plainLine(chosen === null ? 'cancelled' : chosen.kind, titleChars)
      observed((observer) => {
        observer.meet(params.toolCall.toolCallId)
        observer.tell({ type: 'permission', title, answer })
      })
      if (chosen === null) return { outcome: { outcome: 'cancelled' } }
      return { outcome: { outcome: 'selected', optionId: chosen.optionId } }
    })
    .onRequest(methods.client.elicitation.create, ({ method }) => {
      observed((observer) => observer.tell({ type: 'refused', method }))
      return { action: 'decline' }
    })
    .onRequest('*', ({ method }) => {
      observed((observer) => observer.tell({ type: 'refused', method: plainLine(method, titleChars) }))
      throw RequestError.methodNotFound(method)
    })
    .onNotification('*', () => undefined)
}

/**
 * The sandbox is the bound, so the agent is allowed what it asks for, once. Without an `allow_once`
 * option, the first one that does not refuse is taken.
 */
function permitted(options: readonly PermissionOption[]): PermissionOption | null {
  return (
    options.find(({ kind }) => kind === 'allow_once') ??
    options.find(({ kind }) => !kind.startsWith('reject')) ??
    options[0] ??
    null
  )
}

/** The name that Drydock gives itself, and its capabilities towards the agent: none. */
export function introduction() {
  return {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'drydock', title: 'Drydock', version: version() },
  }
}
