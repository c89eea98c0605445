import type { Drydock } from '../drydock.ts'
import type { WorkOptions } from '../work-options.ts'
import type { Acts } from './operations.ts'

interface As {
  /** The options that the program was started with. */
  readonly options?: WorkOptions
  /** The same key again is the same command. */
  readonly key?: string
}

/** The operations of the user of this machine, done here or at the hub that does the work. */
export async function actsOf(drydock: Drydock, { options = {}, key }: As = {}): Promise<Acts> {
  if (drydock.atHub !== null) return drydock.atHub.operations(key)
  const { actsFor } = await import('./operations.ts')
  const door = { hub: null, elsewhere: null, held: null }
  return actsFor(
    { drydock, options, receipts: drydock.openReceipts, door },
    { by: null, role: 'admin', key: key ?? null },
  )
}
