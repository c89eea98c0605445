import type { ForgeCalls } from '../../ports/store.ts'
import { createSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts'

export async function openForgeCalls(options: SqliteStoreOptions): Promise<ForgeCalls> {
  const { transact, forgeCalls, forgeCallsNamed, close } = await createSqliteStore(options)
  return {
    forgeCalls,
    forgeCallsNamed,
    startForgeCall: (call) => transact((tx) => tx.startForgeCall(call)),
    finishForgeCall: (key, answer) => transact((tx) => tx.finishForgeCall(key, answer)),
    close,
  }
}
