import type { Readable, Writable } from 'node:stream'
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { refuse } from '../../agents/tools/tool.ts'
import { withDiskFull } from '../../domain/disk-full.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { capText } from '../../domain/text.ts'
import type { McpOutcome, McpTool, Waiting } from './mcp-tool.ts'

export interface McpServing {
  readonly version: string
  /** Seconds that a call may take. */
  readonly toolTimeoutSec: number
  readonly input: Readable
  /** The stream to the client. No other code may write to it. */
  readonly output: Writable
  /** Receives messages about failures outside the protocol. */
  readonly onError: (message: string) => void
}

interface McpOptions extends McpServing {
  readonly tools: readonly McpTool[]
  /** Removes secrets from everything that the client gets. */
  readonly redact: (text: string) => string
}

/**
 * Serves tools over a pair of streams until the input ends or the client has gone. Aborts calls
 * that are still running then.
 */
export async function serveMcp(served: McpOptions): Promise<void> {
  const { input, output, onError } = served
  const transport = new StdioServerTransport(input, output)
  const over = Promise.withResolvers<void>()
  serveStdio(() => createServer(served), { transport, onerror: ({ message }) => onError(message) })
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    over.resolve()
  }
  await over.promise
  input.destroy()
}

function createServer(served: McpOptions): McpServer {
  const server = new McpServer({ name: 'drydock', version: served.version })
  for (const tool of served.tools) {
    const { name, purpose, input, readOnly } = tool
    const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false }
    server.registerTool(name, { description: purpose, inputSchema: input, annotations }, (given, { mcpReq }) => {
      const { _meta: { progressToken } = {}, signal } = mcpReq
      let progress = 0
      const onProgress = (message: string) => {
        if (progressToken === undefined) return
        progress += 1
        const params = { progressToken, progress, message: served.redact(message) }
        mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
      }
      return call(served, { tool, input: given }, { signal, onProgress })
    })
  }
  return server
}

interface Call {
  readonly tool: McpTool
  readonly input: unknown
}

async function call(served: McpOptions, { tool, input }: Call, waiting: Waiting): Promise<CallToolResult> {
  const inTime = AbortSignal.timeout(served.toolTimeoutSec * 1_000)
  const limited = tool.isWork ? waiting.signal : AbortSignal.any([waiting.signal, inTime])
  const answering = tool.call(input, { ...waiting, signal: limited })
  const { ok, output, structured } = await answering.catch((thrown: unknown): McpOutcome => {
    const error = withDiskFull(thrown)
    if (error instanceof DrydockError) return refuse(`${error.message}\n${error.todo}`)
    if (limited.aborted) return refuse(`${tool.name} did not end within ${served.toolTimeoutSec} s and was stopped.`)
    const message = error instanceof Error ? error.message : String(error)
    served.onError(`${tool.name}: ${error instanceof Error ? error.stack : message}`)
    return refuse(message)
  })
  const text = served.redact(capText(output, limits.toolResultChars))
  const shown = structured && JSON.parse(served.redact(JSON.stringify(structured)))
  return { content: [{ type: 'text', text }], isError: !ok, ...(shown && { structuredContent: shown }) }
}
