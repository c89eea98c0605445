import type { ServedAcp } from '../server/acp/serve-acp.ts'

/** Lets an editor control Drydock in any repository, until the input ends. */
export async function serveAcp(serving: ServedAcp): Promise<void> {
  // Loaded here, since no other command needs it.
  const server = await import('../server/acp/serve-acp.ts')
  await server.serveAcp(serving)
}
