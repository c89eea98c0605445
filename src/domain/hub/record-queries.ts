/**
 * The queries of the records of a state that a client of a hub may ask. Tokens and sessions are not
 * among them.
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
 * Counts up with each change of what clients and hubs say to each other, or of the rows that they
 * exchange.
 */
export const clientProtocol = 1
