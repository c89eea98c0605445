import type { HubOpening, HubRows } from '../../../ports/hub/hub-rows.ts'
import type { Database } from '../database.ts'

export async function openHubRows(database: Database, opening?: HubOpening): Promise<HubRows> {
  const { transact, hubTokens, hubToken, hubSession, close } = await database.open(opening)
  return {
    hubTokens,
    hubToken,
    hubSession,
    close,
    insertHubToken: (token) => transact((tx) => tx.insertHubToken(token)),
    deleteHubToken: (name) => transact((tx) => tx.deleteHubToken(name)),
    putHubPerson: (person) => transact((tx) => tx.putHubPerson(person)),
    deleteHubPerson: (subject) => transact((tx) => tx.deleteHubPerson(subject)),
    markHubTokenUsed: (id) => transact((tx) => tx.markHubTokenUsed(id)),
    insertHubSession: (session) => transact((tx) => tx.insertHubSession(session)),
    deleteHubSession: (hash) => transact((tx) => tx.deleteHubSession(hash)),
  }
}
