import type { Socket } from 'node:net'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { limits } from '../../domain/limits.ts'
import type { AgentToolServing } from '../../ports/agent-tools.ts'

interface ServingOptions extends AgentToolServing {
  readonly version: string
}

/**
 * Serves the tools over one connection; returns the function that ends it. Arguments are passed on
 * unchecked: the call's answer says what is wrong with them, as for a model's own tools.
 */
export function serveAgentTools(socket: Socket, { version, tools, call }: ServingOptions): () => Promise<void> {
  const server = new Server({ name: 'drydock', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { ok, output } = await call(params.name, params.arguments ?? {}, mcpReq.signal)
    return { content: [{ type: 'text' as const, text: output }], isError: !ok }
  })
  // Every pending answer adds a listener, so Node's warning about many listeners would be false.
  socket.setMaxListeners(0)
  const transport = new StdioServerTransport(socket, socket, { maxBufferSize: limits.agentTurn.toolCallBytes })
  // A client that breaks the protocol only harms itself.
  server.onerror = () => undefined
  server.connect(transport).catch(() => socket.destroy())
  return () => server.close()
}
