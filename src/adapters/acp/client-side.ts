import { type ClientApp, client, methods, type PermissionOption, RequestError } from '@agentclientprotocol/sdk'
import { limits } from '../../domain/limits.ts'
import { plainLine } from '../../domain/plain-text.ts'
import { version } from '../../processes/installation.ts'
import type { TurnObserver } from './turn-observer.ts'

const { titleChars } = limits.agents

export interface ClientState {
  /** Null between turns, and while a session is loaded: its history is not observed again. */
  observer: TurnObserver | null
  /** Ids of messages that belong to no turn to come. */
  readonly earlier: Set<string>
  /** The turn was cancelled: nothing is permitted any more. */
  isCancelled: boolean
  /** Called when the agent did what ends it. */
  fail(error: unknown): void
}

/** How Drydock answers an agent. It offers neither files nor terminals: the agent has its own. */
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
 * The sandbox is the bound, so the agent may do what it asks for, once. Without that option it is
 * the first that is no refusal.
 */
function permitted(options: readonly PermissionOption[]): PermissionOption | null {
  return (
    options.find(({ kind }) => kind === 'allow_once') ??
    options.find(({ kind }) => !kind.startsWith('reject')) ??
    options[0] ??
    null
  )
}

/** Who Drydock says that it is, and what it can do for an agent: nothing. */
export function introduction() {
  return {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'drydock', title: 'Drydock', version: version() },
  }
}
