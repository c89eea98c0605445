/**
 * The queries of a state's records that a client of a hub may send. Tokens and sessions are
 * excluded.
 */
export const recordQueries = [
  ...(['machine', 'machineOf', 'machines', 'machineCounts', 'messages', 'toolExecution', 'modelCalls'] as const),
  ...(['events', 'lastEvent', 'runsSince', 'recentEvents', 'timeline', 'toolCallCounts', 'verification'] as const),
  ...(['verifications', 'flakyTests', 'contextFiles', 'chat', 'chatMessage', 'totals', 'hasAnswered'] as const),
  ...(['holdsReservation', 'spent', 'spending', 'spendingOver', 'pendingCommands', 'commandApplied'] as const),
  ...(['forgeCalls', 'forgeCallsNamed', 'isIdle'] as const),
] as const

export type RecordQuery = (typeof recordQueries)[number]

/**
 * The protocol's version; raise it with each change of the messages between clients and hubs, or of
 * the rows in them.
 */
export const clientProtocol = 1
