import type { Files } from '../../../ports/files.ts'
import type { Sandbox } from '../../../ports/sandbox.ts'
import type { Slot, WorkTrees } from '../../../ports/work-trees.ts'
import { type ArchitectSandbox, createArchitectSandbox } from '../../../workflow/architect/architect-sandbox.ts'

/** Reads workspaces of a state that somebody else may own. */
export interface SlotReaders {
  /**
   * As they are at each call; null when there is no such slot. Rejects as `ArchitectSandbox` does.
   */
  workspace(slot: Slot, signal: AbortSignal): Promise<Files | null>
  /** For good. */
  close(): Promise<void>
}

interface SlotReaderDependencies {
  readonly sandbox: Sandbox
  readonly workTrees: Pick<WorkTrees, 'path'>
  /** The slots that there are now; there may be more of them later, and never fewer. */
  readonly slots: () => Promise<readonly Slot[]>
  readonly mirror: string
}

interface Reader {
  readonly slots: readonly Slot[]
  readonly architect: ArchitectSandbox
}

/** The mounts of a sandbox are fixed, so that slots which are made later get another one. */
export function createSlotReaders({ slots, ...deps }: SlotReaderDependencies): SlotReaders {
  const readers: Reader[] = []
  let isClosed = false

  function openReader(slot: Slot): Reader | undefined {
    if (isClosed) throw new Error('Nothing is read any more')
    return readers.find((reader) => reader.slots.includes(slot))
  }

  async function readerOf(slot: Slot): Promise<Reader | null> {
    const open = openReader(slot)
    if (open) return open
    const all = await slots()
    if (!all.includes(slot)) return null
    // Somebody else may have opened it meanwhile.
    const since = openReader(slot)
    if (since) return since
    const reader = { slots: all, architect: createArchitectSandbox({ ...deps, slots: all }) }
    readers.push(reader)
    return reader
  }

  return {
    workspace: async (slot, signal) => (await (await readerOf(slot))?.architect.workspace(slot, signal)) ?? null,
    async close() {
      isClosed = true
      await Promise.all(readers.map(({ architect }) => architect.close()))
    },
  }
}
