import { Readable } from 'node:stream'
import { configIfAny } from '../../app/commands/check-config.ts'
import { usage } from '../../app/usage.ts'
import { serveMcp } from '../../compose/serve-mcp.ts'
import { limits } from '../../domain/limits.ts'
import { version } from '../../processes/installation.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

/** Serves the Runs to an MCP client until stdin ends. Only the protocol is written to stdout. */
export async function mcp(
  { terminal, output }: Context,
  _: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const stdin = terminal.stdin?.()
  if (stdin === undefined || stdin.isTTY === true) {
    throw usage('drydock mcp must be started by an MCP client.', 'Configure a client: see docs/mcp.md')
  }
  const drydock = await open({ terminal, output }, options)
  const config = await configIfAny(drydock, options)
  await serveMcp(drydock, {
    toolTimeoutSec: config?.toolTimeoutSec ?? limits.toolTimeoutSec,
    version: version(),
    input: Readable.from(stdin),
    output: terminal.stdout,
    onError: (message) => output.note(`drydock mcp: ${message}`),
  })
  return 0
}
