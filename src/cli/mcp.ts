import { Readable } from 'node:stream'
import { limits } from '../domain/limits.ts'
import type { CommonOptions, Context } from './context.ts'
import { mcpStatus } from './mcp-status.ts'
import { configIfAny, open } from './open.ts'
import { giveAnswer } from './reply.ts'
import { handedOverWords } from './say-handed-over.ts'
import { usage } from './usage.ts'
import { version } from './version.ts'

/**
 * Serves the Runs to an MCP client until stdin ends. Nothing but the protocol is written to stdout.
 */
export async function mcp(
  { terminal, output }: Context,
  _: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const stdin = terminal.stdin?.()
  if (stdin === undefined || stdin.isTTY === true) {
    throw usage('drydock mcp is started by an MCP client, and speaks with it.', 'Add it to one: see docs/mcp.md')
  }
  const drydock = await open({ terminal, output }, options)
  const config = await configIfAny(drydock, options)
  await drydock.serveMcp({
    toolTimeoutSec: config?.toolTimeoutSec ?? limits.toolTimeoutSec,
    ...{ version: version(), input: Readable.from(stdin), output: terminal.stdout },
    onError: (message) => output.note(`drydock mcp: ${message}`),
    status: (run) => mcpStatus(drydock, run),
    reply: async (message, text) => handedOverWords[(await giveAnswer(drydock, message, text)).handed],
  })
  return 0
}
