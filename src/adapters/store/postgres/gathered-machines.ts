import type { Kysely } from 'kysely'
import { limits } from '../../../domain/limits.ts'
import type { AnyMachine, Machines } from '../../../domain/machines.ts'
import type { Records } from '../../../ports/store.ts'
import { machineOfRow } from '../machine-of-row.ts'
import type { Tables } from '../tables.ts'

type MachineReads = Pick<Records, 'machine' | 'machineOf'>

/**
 * Reads machines by id, batched into few statements. Requests of one turn of the event loop are
 * read together, each machine with its story and its Run, since a step reads all three repeatedly.
 * Results stay valid until the waiting code reaches its next wait: until then this process cannot
 * have learned of a later commit.
 */
export function gatheredMachines(db: Kysely<Tables>): MachineReads {
  /** The ids to read together with each id, its story's and its Run's, which never change. */
  const families = new Map<string, readonly string[]>()
  let asked: PendingRead | null = null
  let known = new Map<string, AnyMachine | null>()

  async function machine(id: string): Promise<AnyMachine | null> {
    const found = known.get(id)
    if (found !== undefined) return found
    asked ??= ask()
    asked.ids.add(id)
    const read = await asked.answer
    return read.get(id) ?? null
  }

  function ask(): PendingRead {
    const ids = new Set<string>()
    const { promise: sent, resolve: send } = Promise.withResolvers<void>()
    process.nextTick(() => {
      asked = null
      send()
    })
    return { ids, answer: sent.then(() => readAll(ids)) }
  }

  async function readAll(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, AnyMachine | null>> {
    const wanted = new Set([...ids].flatMap((id) => families.get(id) ?? [id]))
    const rows = await db
      .selectFrom('machines')
      .selectAll()
      .where('id', 'in', [...wanted])
      .execute()
    const read = new Map<string, AnyMachine | null>([...wanted].map((id) => [id, null]))
    for (const row of rows) {
      read.set(row.id, machineOfRow(row))
      remember(row)
    }
    known = read
    // Runs after all code that follows this answer without another wait.
    process.nextTick(() => {
      if (known === read) known = new Map()
    })
    return read
  }

  function remember({ id, run, story }: { readonly id: string; readonly run: string; readonly story: string | null }) {
    families.delete(id)
    families.set(
      id,
      [...new Set([id, run, ...(story === null ? [] : [`${run}/${story}`])])].filter((each) => each !== ''),
    )
    if (families.size > limits.machinesInMemory) families.delete(families.keys().next().value ?? '')
  }

  return {
    machine,
    async machineOf(kind, id) {
      const found = await machine(id)
      return found?.kind === kind ? (found as Machines[typeof kind]) : null
    },
  }
}

interface PendingRead {
  readonly ids: Set<string>
  readonly answer: Promise<ReadonlyMap<string, AnyMachine | null>>
}
