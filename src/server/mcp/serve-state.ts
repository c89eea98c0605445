import { join } from 'node:path'
import type { Installation } from '../../app/installation.ts'
import type { Ownership } from '../../app/ownership.ts'
import type { StateAccess } from '../../app/state-access.ts'
import { madeSlots } from '../../app/views/outside/made-slots.ts'
import type { OutsideSources } from '../../app/views/outside/outside-context.ts'
import { createSlotReaders } from '../../app/views/outside/slot-readers.ts'
import { mcpTools } from './mcp-tools.ts'
import { type McpServing, serveMcp } from './serve-mcp.ts'
import { createWorkWatch } from './watch-work.ts'
import { type Working, workTools } from './work-tools.ts'

/** Serves a state to an MCP client, alongside its owner, until the client has gone. */
export async function serveState(
  drydock: Installation &
    Pick<StateAccess, 'openRecords' | 'submit' | 'atHub' | 'connect' | 'ownerFacts'> &
    Pick<Ownership, 'own'>,
  { artifacts, acts, ...serving }: McpServing & Pick<OutsideSources, 'artifacts'> & Pick<Working, 'acts'>,
): Promise<void> {
  const { history, workTrees, sandbox, openRecords, redact, state } = drydock
  const mirror = join(state, 'mirror.git')
  const readers = createSlotReaders({ sandbox, workTrees, mirror, slots: () => madeSlots(workTrees) })
  const watch = createWorkWatch(drydock)
  const working = workTools({ acts, door: drydock.user.mcpDoor, watch })
  const tools = [...mcpTools(drydock, acts, { history, artifacts, openRecords, readers }), ...working]
  await serveMcp({ ...serving, redact, tools }).finally(() => Promise.all([watch.close(), readers.close()]))
}
