import {
  type CallToolResult,
  Client,
  type ContentBlock,
  type JsonSchemaValidatorResult,
  type jsonSchemaValidator,
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client'
import type { JsonObject } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { canonicalText, type McpDefinition } from '../../domain/mcp/definition.ts'
import type { McpServerSettings } from '../../domain/mcp/server-settings.ts'
import type { McpAnswer, McpConnection, McpResult } from '../../ports/mcp-servers.ts'
import { hashOf } from './definitions-hash.ts'
import type { BoundTransport } from './program-transport.ts'
import { quoted, ServerBroke } from './server-broke.ts'

export interface ServerConnection extends McpConnection {
  definitions(signal: AbortSignal): Promise<McpResult<readonly McpDefinition[]>>
}

/**
 * A server's answers are not validated with the schemas of its definitions: a pattern in one could
 * keep this process busy for ever.
 */
const acceptAll: jsonSchemaValidator = {
  getValidator: <T>() => accept<T>,
}

function accept<T>(input: unknown): JsonSchemaValidatorResult<T> {
  return { valid: true, data: input as T & {}, errorMessage: undefined }
}

interface RequestOptions {
  readonly timeout: number
  readonly maxTotalTimeout: number
  readonly signal: AbortSignal
}

interface Connecting {
  readonly settings: McpServerSettings
  readonly transport: BoundTransport
  readonly version: string
}

/** Speaks the protocol with a server: sends it Drydock's calls, and answers its pings. */
export async function connectServer(
  { settings, transport, version }: Connecting,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const client = new Client(
    { name: 'drydock', version },
    { capabilities: {}, jsonSchemaValidator: acceptAll, listMaxPages: 16 },
  )
  let isClosed = false
  let known: readonly McpDefinition[] | null = null
  client.onclose = () => {
    isClosed = true
  }
  // A server that breaks the protocol gets no answer.
  client.onerror = () => undefined
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    known = null
  })

  async function close(): Promise<void> {
    isClosed = true
    await client.close().catch(() => undefined)
    await transport.close().catch(() => undefined)
  }

  /** A failure ends the connection, since the server's state is then unknown. */
  async function bounded<T>(
    ms: number,
    aborted: AbortSignal,
    ask: (options: RequestOptions) => Promise<T>,
  ): Promise<McpResult<T>> {
    transport.newCall()
    try {
      return { ok: true, value: await ask({ timeout: ms, maxTotalTimeout: ms, signal: aborted }) }
    } catch (error) {
      if (error instanceof ProtocolError && !aborted.aborted) throw error
      const because = await reasonOf(error, ms)
      await close()
      aborted.throwIfAborted()
      return { ok: false, message: `The MCP server ${settings.name} ${because}.` }
    }
  }

  async function reasonOf(error: unknown, ms: number): Promise<string> {
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
      return `did not answer within ${ms / 1_000} s, and was stopped`
    if (error instanceof ServerBroke) return error.message
    // The connection was closed from here, so the server's later end does not matter.
    if (isOfVersion(error)) return `failed: ${quoted(wordsOf(error))}`
    const cause = await transport.cause()
    return cause instanceof ServerBroke ? cause.message : `failed: ${quoted(wordsOf(error))}`
  }

  async function listed(options: RequestOptions) {
    const { tools } = await client.listTools(undefined, { ...options, cacheMode: 'refresh' }).catch(asBroke)
    return tools
  }

  async function definitions(aborted: AbortSignal): Promise<McpResult<readonly McpDefinition[]>> {
    if (known !== null) return { ok: true, value: known }
    const found = await bounded(limits.mcp.startSec * 1_000, aborted, async (options) => {
      // A change reported while the list is being read concerns a newer list.
      known = []
      // Without this check the SDK prints on stdout that the server has no tools.
      const hasTools = client.getServerCapabilities()?.tools !== undefined
      const tools = hasTools ? await listed(options) : []
      const wanted = tools.filter(({ name }) => settings.tools?.includes(name) ?? true)
      const defined = wanted.map(({ name, description = '', inputSchema, annotations = {} }): McpDefinition => {
        return { name, description, inputSchema: inputSchema as JsonObject, annotations: annotations as JsonObject }
      })
      // Throws for a definition that is nested too deeply.
      if (canonicalText(defined).length > limits.mcp.definitionChars)
        throw new ServerBroke(`says more than ${limits.mcp.definitionChars} characters of its tools`)
      return defined
    })
    known = found.ok && known !== null ? found.value : null
    return found
  }

  const greeted = await bounded(limits.mcp.startSec * 1_000, signal, (options) =>
    client.connect(transport, options).catch(asBroke),
  )
  if (!greeted.ok) throw new ServerBroke(greeted.message)
  if (client.getServerVersion()?.name === 'drydock') {
    await close()
    throw new ServerBroke(`The MCP server ${settings.name} is Drydock itself.`)
  }

  return {
    definitions,
    async hash(aborted) {
      const all = await definitions(aborted)
      return all.ok ? { ok: true, value: hashOf(all.value) } : all
    },
    async call(tool, input, aborted): Promise<McpResult<McpAnswer>> {
      try {
        return await bounded(settings.timeoutMs, aborted, async (options) => {
          const params = { name: tool, arguments: input as Record<string, unknown> }
          const result = (await client.callTool(params, options)) as CallToolResult
          return { ok: result.isError !== true, text: resultText(result) }
        })
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error
        return { ok: true, value: { ok: false, text: error.message } }
      }
    },
    isClosed: () => isClosed,
    close,
  }
}

/** The SDK has no class for this error. */
function isOfVersion(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Server's protocol version is not supported")
}

/** For an unreachable host, the reason is in the cause of `fetch`'s error. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Errors at the start are failures of the server. */
function asBroke(error: unknown): never {
  throw error instanceof ProtocolError ? new ServerBroke(`answered with an error: ${quoted(error.message)}`) : error
}

/** The server's answer as text. Content of other types is named and left out. */
function resultText({ content, structuredContent }: CallToolResult): string {
  const texts = content.map(textOf)
  if (texts.length > 0) return texts.join('\n')
  return structuredContent === undefined ? '(an empty answer)' : JSON.stringify(structuredContent)
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `(${block.type} of ${block.data.length} characters, left out)`
    case 'resource':
      return 'text' in block.resource
        ? `${block.resource.uri}:\n${block.resource.text}`
        : `(${block.resource.uri}, which is no text, left out)`
    case 'resource_link':
      return `(a link: ${block.name}, ${block.uri})`
    default:
      return '(an unknown part, left out)'
  }
}
