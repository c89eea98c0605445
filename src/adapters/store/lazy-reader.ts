import type { StateReader } from '../../ports/store.ts'
import { emptyRecords } from './empty-records.ts'

/** Reads through what `open` gives at the first question; closing it leaves that open. */
export function lazyReader(open: () => Promise<StateReader>): StateReader {
  const names = Object.keys(emptyRecords) as (keyof StateReader)[]
  const asked = names.map((name) => {
    const ask = async (...given: readonly unknown[]) => {
      const reader = await open()
      return (reader[name] as (...values: readonly unknown[]) => unknown)(...given)
    }
    return [name, ask]
  })
  return { ...(Object.fromEntries(asked) as StateReader), close: async () => {} }
}
