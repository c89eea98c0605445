import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import { slotId } from '../../src/domain/slot/slot.ts'

test('a machine stays the same until any process commits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-known-'))
  const file = join(folder, 'drydock.db')
  const store = await createSqliteStore({ file, clock: createSystemClock() })
  const other = new DatabaseSync(file)
  const id = slotId('coder-001')
  try {
    expect(await store.machine(id)).toBeNull()
    const data = { name: 'coder-001', host: 'local' } as never
    await store.transact((tx) => tx.create({ id, kind: 'slot', run: 'r', story: null, data }, 'rest'))
    const created = await store.machineOf('slot', id)
    expect(created).toMatchObject({ version: 1, data: { host: 'local' } })
    expect(await store.machine(id)).toBe(created)
    expect(await store.machineOf('lane', id)).toBeNull()

    await store.transact((tx) => tx.edit(created as never, { host: 'here' } as never))
    expect(await store.machineOf('slot', id)).toMatchObject({ version: 2, data: { host: 'here' } })

    other.exec(`update machines set version = 3 where id = '${id}'`)
    expect(await store.machine(id)).toMatchObject({ version: 3 })
  } finally {
    other.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
