import type { StateReader } from '../../ports/store.ts'

const free = { microUsd: 0, tokens: 0 }

/** What a state holds that nothing was ever written to. */
export const emptyRecords: StateReader = {
  machine: async () => null,
  machineOf: async () => null,
  machines: async () => [],
  machineCounts: async () => new Map(),
  messages: async () => [],
  toolExecution: async () => null,
  modelCalls: async () => [],
  events: async () => [],
  lastEvent: async () => 0,
  runsSince: async () => [],
  recentEvents: async () => [],
  timeline: async () => [],
  toolCallCounts: async () => new Map(),
  verification: async () => null,
  verifications: async () => [],
  flakyTests: async () => [],
  contextFiles: async () => [],
  chat: async () => [],
  chatMessage: async () => null,
  totals: async () => ({ calls: 0, tokens: 0, toolCalls: 0, costMicroUsd: 0, unpriced: 0 }),
  hasAnswered: async () => false,
  holdsReservation: async () => false,
  spent: async () => ({ ...free, reserved: free, underWay: 0 }),
  spending: async () => [],
  spendingOver: async () => ({ ends: [], used: [] }),
  pendingCommands: async () => [],
  commandApplied: async () => false,
  forgeCalls: async () => [],
  forgeCallsNamed: async () => [],
  isIdle: async () => true,
  close: async () => {},
}
