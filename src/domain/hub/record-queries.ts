/** The queries of a state's records that the commands of a client send to a hub. */
export const recordQueries = [
  ...(['machine', 'machineOf', 'machines', 'messages', 'toolExecution', 'modelCalls'] as const),
  ...(['events', 'lastEvent', 'recentEvents', 'toolCallCounts', 'verification', 'verifications'] as const),
  ...(['flakyTests', 'chat', 'totals', 'spent', 'spending', 'pendingCommands', 'commandApplied'] as const),
  ...(['forgeCalls', 'isIdle'] as const),
] as const

export type RecordQuery = (typeof recordQueries)[number]

/**
 * The protocol's version; raise it with each change of the messages between clients and hubs, or of
 * the rows in them.
 */
export const clientProtocol = 2
