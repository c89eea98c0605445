import type { Socket } from 'node:net'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { limits } from '../../domain/limits.ts'
import type { AgentToolServing } from '../../ports/agent-tools.ts'

interface Served extends AgentToolServing {
  readonly version: string
}

/**
 * Serves the tools over one connection; returns how to end it. Input is handed on as it came: what
 * is wrong with it is said by the answer, as a model's own tools would say it.
 */
export function serveAgentTools(socket: Socket, { version, tools, call }: Served): () => Promise<void> {
  const server = new Server({ name: 'drydock', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      ...{ name, description },
      inputSchema: { ...inputSchema, type: 'object' as const },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { ok, output } = await call(params.name, params.arguments ?? {}, mcpReq.signal)
    return { content: [{ type: 'text' as const, text: output }], isError: !ok }
  })
  const transport = new StdioServerTransport(socket, socket, { maxBufferSize: limits.agentTurn.toolCallBytes })
  // Whoever breaks the protocol is on its own.
  server.onerror = () => undefined
  server.connect(transport).catch(() => socket.destroy())
  return () => server.close()
}
