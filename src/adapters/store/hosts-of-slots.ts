import type { Kysely } from 'kysely'
import type { Machine } from '../../domain/machine.ts'
import { type SlotData, slotId } from '../../domain/slot/slot.ts'
import { holderOf, stateKeeper } from './job-rows.ts'
import type { Tables } from './tables.ts'

type StoredMachine = Pick<Machine, 'id' | 'kind' | 'run' | 'story' | 'data'>

/**
 * Updates the host of the Runs and stories that hold a slot, and of their queued steps. `before` is
 * the machine's previous data, null for a new one.
 */
export async function followSlot(
  db: Kysely<Tables>,
  machine: StoredMachine,
  before: Machine['data'] | null,
): Promise<void> {
  if (machine.kind === 'slot') {
    const { name, host } = machine.data as SlotData
    if ((before as SlotData | null)?.host === host) return
    for (const holder of await holdersOf(db, name)) await setHost(db, holder, host)
  }
  if (machine.kind !== 'run' && machine.kind !== 'story') return
  const slot = slotOf(machine.data)
  if (slot === slotOf(before)) return
  await setHost(db, machine, slot === null ? null : await hostOf(db, slot))
}

function slotOf(data: Machine['data'] | null): string | null {
  return (data as { readonly slot?: string | null } | null)?.slot ?? null
}

async function hostOf(db: Kysely<Tables>, slot: string): Promise<string | null> {
  const row = await db.selectFrom('machines').select('data').where('id', '=', slotId(slot)).executeTakeFirst()
  return row === undefined ? null : (JSON.parse(row.data) as SlotData).host
}

async function holdersOf(
  db: Kysely<Tables>,
  slot: string,
): Promise<readonly Pick<StoredMachine, 'id' | 'run' | 'story'>[]> {
  const rows = await db
    .selectFrom('machines')
    .select(['id', 'run', 'story', 'data'])
    .where('kind', 'in', ['run', 'story'])
    .where('data', 'like', '%"slot":"%')
    .execute()
  return rows.filter(({ data }) => slotOf(JSON.parse(data)) === slot)
}

async function setHost(db: Kysely<Tables>, holder: Pick<StoredMachine, 'id' | 'run' | 'story'>, host: string | null) {
  await db.updateTable('machines').set({ host }).where('id', '=', holder.id).execute()
  if (holderOf(holder) !== holder.id) return
  const { run, story } = holder
  await db
    .updateTable('jobs')
    .set({ host: host ?? '' })
    .where('run', '=', run)
    .where('story', story === null ? 'is' : '=', story)
    .where('host', '<>', stateKeeper)
    .execute()
}
