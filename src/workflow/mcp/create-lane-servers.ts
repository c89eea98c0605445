import type { LaneServersDependencies } from './dependencies.ts'
import type { LaneServers } from './lane-servers.ts'

/** Loads its code at the first call, since most users have no MCP server. */
export function createLaneServers(deps: LaneServersDependencies): LaneServers {
  let made: Promise<LaneServers> | null = null
  let isClosed = false
  return {
    async call(call, signal) {
      if (isClosed) throw new Error('the MCP servers are closed')
      made ??= import('./open-lane-servers.ts').then(({ openLaneServers }) => openLaneServers(deps))
      return (await made).call(call, signal)
    },
    endOver: async (isOver) => (await made)?.endOver(isOver),
    async closeAll() {
      isClosed = true
      await (await made)?.closeAll()
    },
  }
}
