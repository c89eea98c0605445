import type { ForgeCalls } from '../../ports/store.ts'
import type { Database } from './database.ts'

export async function openForgeCalls(database: Database): Promise<ForgeCalls> {
  const { transact, forgeCalls, forgeCallsNamed, close } = await database.open()
  return {
    forgeCalls,
    forgeCallsNamed,
    startForgeCall: (call) => transact((tx) => tx.startForgeCall(call)),
    finishForgeCall: (key, answer) => transact((tx) => tx.finishForgeCall(key, answer)),
    close,
  }
}
