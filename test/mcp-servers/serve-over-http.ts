import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** A server of the user on this machine, over streamable HTTP, and a second host. */
export async function serveOverHttp() {
  const authorizations: (string | null)[] = []
  const elsewhere: string[] = []
  const other = createServer((request, response) => {
    elsewhere.push(request.url ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const away = `http://127.0.0.1:${(other.address() as AddressInfo).port}/away`

  async function fetch(request: Request): Promise<Response> {
    authorizations.push(request.headers.get('authorization'))
    const asked = await request.clone().text()
    if (asked.includes('"web_leave"') || asked.includes('"leave"')) return Response.redirect(away, 307)
    const server = new McpServer({ name: 'web', version: '1.0.0' })
    const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })
    server.registerTool('greet', { inputSchema: z.object({}) }, () => text('hello over http'))
    server.registerTool('flood', { inputSchema: z.object({}) }, () => text('x'.repeat(20_000_000)))
    server.registerTool('leave', { inputSchema: z.object({}) }, () => text('never'))
    const transport = new WebStandardStreamableHTTPServerTransport({})
    await server.connect(transport)
    return transport.handleRequest(request)
  }

  const served = serve({ fetch, hostname: '127.0.0.1', port: 0 })
  await once(served, 'listening')
  const { port } = served.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    authorizations,
    elsewhere,
    async close() {
      for (const each of [served, other]) {
        each.close()
        if ('closeAllConnections' in each) each.closeAllConnections()
      }
    },
  }
}
