import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Fixture } from './fixture.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

export interface McpConnection {
  readonly client: Client
  readonly pid: number
  /** Output outside the protocol: errors of the transport, which reads all of stdout. */
  readonly errors: readonly Error[]
  call(tool: string, input?: Record<string, unknown>): Promise<{ readonly text: string; readonly isError: boolean }>
}

/**
 * Starts bin/drydock like an MCP client, and connects a real one. Close it after use:
 * `client.close()`.
 */
export async function connectMcp({ repo, env }: Fixture, options: ClientOptions = {}): Promise<McpConnection> {
  const transport = new StdioClientTransport({ command: bin, args: ['mcp', '--repo', repo], env, stderr: 'inherit' })
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  const errors: Error[] = []
  client.onerror = (error) => void errors.push(error)
  await client.connect(transport)
  return {
    client,
    errors,
    pid: transport.pid ?? 0,
    async call(name, input = {}) {
      const { content, isError } = await client.callTool({ name, arguments: input })
      const text = content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('')
      return { text, isError: isError === true }
    },
  }
}
