import { stripVTControlCharacters } from 'node:util'
import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  methods,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { limits } from '../../domain/limits.ts'
import { capText } from '../../domain/text.ts'

/** The program at the other end of the connection, as one session sees it. */
export interface Client {
  /** True if the client shows forms. */
  readonly forms: boolean
  /** True if the client shows notices. */
  readonly notices: boolean
  update(update: SessionUpdate): Promise<void>
  /**
   * Returns the id of the option that the user chose. Null when the user chose none, or when the
   * client cannot ask.
   */
  choose(asking: Omit<RequestPermissionRequest, 'sessionId'>, signal: AbortSignal): Promise<string | null>
  /**
   * Returns the values that the user entered. Null when the user entered none, or when the client
   * shows no forms.
   */
  fill(
    message: string,
    form: Extract<CreateElicitationRequest, { mode: 'form' }>['requestedSchema'],
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>> | null>
}

interface ClientOptions {
  readonly connection: AgentContext
  readonly capabilities: ClientCapabilities
  readonly sessionId: string
  /** Removes secrets from everything that the client gets. */
  readonly redact: (text: string) => string
}

export function createClient({ connection, capabilities, sessionId, redact }: ClientOptions): Client {
  // Each side of a diff has been cut already, and is the longest possible text.
  const shown = <T>(value: T, mostChars: number): T => clean(value, { redact, mostChars })
  return {
    forms: capabilities.elicitation?.form != null,
    notices: capabilities.session?.notices != null,
    async update(update) {
      const { textChars, diffChars } = limits.acp
      const isTool = update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
      const sent = shown(update, isTool ? diffChars + limits.cutNotice : textChars)
      // A failure means that the client has gone; its session then ends by itself.
      await connection.notify(methods.client.session.update, { sessionId, update: sent }).catch(() => {})
    },
    async choose(asking, signal) {
      const request = { sessionId, ...shown(asking, limits.acp.textChars) }
      const { outcome } = await withdrawn(
        connection.request(methods.client.session.requestPermission, request, { cancellationSignal: signal }),
        signal,
      ).catch(() => ({ outcome: { outcome: 'cancelled' } as const }))
      if (outcome.outcome !== 'selected' || signal.aborted) return null
      return asking.options.some(({ optionId }) => optionId === outcome.optionId) ? outcome.optionId : null
    },
    async fill(message, requestedSchema, signal) {
      const asked = shown({ message, requestedSchema }, limits.acp.textChars)
      const request: CreateElicitationRequest = { mode: 'form', sessionId, ...asked }
      const answer = await withdrawn(
        connection.request(methods.client.elicitation.create, request, { cancellationSignal: signal }),
        signal,
      ).catch((): CreateElicitationResponse => ({ action: 'cancel' }))
      if (answer.action !== 'accept' || signal.aborted) return null
      const content = 'content' in answer ? answer.content : null
      if (typeof content !== 'object' || content === null) return null
      return content as Readonly<Record<string, unknown>>
    },
  }
}

/** Rejects with the signal's reason, even if the client never answers a withdrawn question. */
function withdrawn<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const gone = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => gone.reject(signal.reason), { once: true })
  return Promise.race([answer, gone.promise])
}

interface Cleaning {
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
  readonly mostChars: number
}

/** Returns the value with every text in it redacted, stripped of control characters, and cut. */
function clean<T>(value: T, cleaning: Cleaning): T {
  return cleaned(value, cleaning) as T
}

function cleaned(value: unknown, cleaning: Cleaning): unknown {
  if (typeof value === 'string') return capText(cleaning.redact(stripVTControlCharacters(value)), cleaning.mostChars)
  if (Array.isArray(value)) return value.map((each) => cleaned(each, cleaning))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleaned(each, cleaning)]))
}
