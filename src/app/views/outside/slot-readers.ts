import type { Files } from '../../../ports/files.ts'
import type { Sandbox } from '../../../ports/sandbox.ts'
import type { Slot, WorkTrees } from '../../../ports/work-trees.ts'
import { type ArchitectSandbox, createArchitectSandbox } from '../../../workflow/architect/architect-sandbox.ts'

/** Reads workspaces of a state that another process may own. */
export interface SlotReaders {
  /**
   * The current files of a workspace; null if the slot does not exist. Rejects as
   * `ArchitectSandbox` does.
   */
  workspace(slot: Slot, signal: AbortSignal): Promise<Files | null>
  /** Ends all readers for good. */
  close(): Promise<void>
}

interface SlotReaderDependencies {
  readonly sandbox: Sandbox
  readonly workTrees: Pick<WorkTrees, 'path'>
  /** Lists the existing slots. Their number can grow, but never shrink. */
  readonly slots: () => Promise<readonly Slot[]>
  readonly mirror: string
}

interface Reader {
  readonly slots: readonly Slot[]
  readonly architect: ArchitectSandbox
}

/**
 * Opens a reader with the existing slots as mounts. A sandbox cannot mount slots later, so new
 * slots need another reader.
 */
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
    // A concurrent call may have opened a reader for this slot.
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
