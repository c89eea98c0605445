import type { DatabaseSync } from 'node:sqlite'
import type { AnyMachine } from '../../domain/machines.ts'
import type { Records } from '../../ports/store.ts'

type MachineReads = Pick<Records, 'machine' | 'machineOf'>

/**
 * Machine reads with a cache that is valid between two commits. SQLite's `data_version` shows if
 * this process or another one has committed since. A step reads its lane, its story and its Run
 * repeatedly.
 */
export function knownMachines(database: DatabaseSync, records: MachineReads): MachineReads {
  const dataVersion = database.prepare('pragma data_version')
  let version: unknown
  let known = new Map<string, Promise<AnyMachine | null>>()

  function machine(id: string): Promise<AnyMachine | null> {
    const now = dataVersion.get()?.data_version
    if (now !== version) {
      version = now
      known = new Map()
    }
    const read = known.get(id) ?? records.machine(id)
    known.set(id, read)
    // A failed read is not cached.
    read.catch(() => known.delete(id))
    return read
  }

  return {
    machine,
    async machineOf(kind, id) {
      const found = await machine(id)
      return found?.kind === kind ? (found as Awaited<ReturnType<typeof records.machineOf<typeof kind>>>) : null
    },
  }
}
