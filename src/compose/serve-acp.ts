import type { ServedAcp } from '../server/acp/serve-acp.ts'

/** Lets an editor drive Drydock, in any repository, until the input ends. */
export async function serveAcp(serving: ServedAcp): Promise<void> {
  // What it needs is loaded only here: no other command does.
  const server = await import('../server/acp/serve-acp.ts')
  await server.serveAcp(serving)
}
