import type { AcceptanceTests } from '../domain/acceptance/acceptance-tests.ts'
import type { ChatMessage } from '../domain/chat.ts'
import type { Command } from '../domain/command.ts'
import type { Event, EventOfType, EventType, NewEvent } from '../domain/event.ts'
import type { Json } from '../domain/json.ts'
import type { Message } from '../domain/lane/message.ts'
import type { Machine, MachineKind } from '../domain/machine.ts'
import type { AnyMachine, EventOf, Machines } from '../domain/machines.ts'
import type { Amount, Spending, Spent } from '../domain/run/budget.ts'
import type { FlakyTest } from '../domain/verification/verification.ts'
import type { HubRecords, HubWrites } from './hub/hub-rows.ts'
import type {
  ChatFilter,
  CommandRow,
  ContextFile,
  ForgeCall,
  ModelCall,
  ToolExecution,
  VerificationRow,
} from './rows.ts'
import type { SpendingOver, Workload } from './workload.ts'

export interface MachineFilter<Kind extends MachineKind = MachineKind> {
  readonly kind: Kind
  readonly run?: string
  readonly states?: readonly Machines[Kind]['state'][]
}

export interface Totals {
  readonly calls: number
  /** Includes the possible usage of calls whose end is unknown, as the budget does. */
  readonly tokens: number
  readonly toolCalls: number
  /**
   * Millionths of a dollar, of calls with a known price. Includes the possible cost of calls whose
   * end is unknown.
   */
  readonly costMicroUsd: number
  /**
   * The number of calls without a known price: calls with tokens, and calls whose end is unknown.
   */
  readonly unpriced: number
}

/** Selects from the event log of a Run: events of one story, of some types, before an id. */
export interface RecentEvents<Type extends EventType> {
  readonly run: string
  readonly story?: string
  readonly types?: readonly Type[]
  /** Selects events that contain the text in their type, story or data. */
  readonly text?: string
  readonly before?: number
  readonly limit: number
}

/**
 * Selects from the timeline of a Run: entries of one story, before an entry, or one entry alone.
 */
export interface TimelineFilter {
  readonly run: string
  readonly story?: string
  /** Selects calls of models, calls of tools, or failed calls. */
  readonly kind?: 'model' | 'tool' | 'failed'
  /**
   * Selects calls that contain the text in their lane, model or tool, or at the start of their
   * input.
   */
  readonly text?: string
  readonly before?: string
  readonly at?: string
  readonly limit: number
}

/** One call with its place in the timeline. A text that is not a place matches nothing. */
export type TimelineEntry =
  | { readonly type: 'model_call'; readonly cursor: string; readonly call: ModelCall }
  | { readonly type: 'tool_call'; readonly cursor: string; readonly call: ToolExecution }

/** Reads. Outside a transaction they see the last commit. */
export interface Records extends HubRecords {
  machine(id: string): Promise<AnyMachine | null>
  /** Null also when the machine is of another kind. */
  machineOf<Kind extends MachineKind>(kind: Kind, id: string): Promise<Machines[Kind] | null>
  /** Lists machines in order of creation. */
  machines<Kind extends MachineKind>(filter: MachineFilter<Kind>): Promise<readonly Machines[Kind][]>
  /** The number of machines in each state. Does not read their data. */
  machineCounts(filter: Omit<MachineFilter, 'states'>): Promise<ReadonlyMap<string, number>>
  /** Counts over all Runs, by a scan of all machines, steps and calls. */
  workload(): Promise<Workload>
  /** The messages of a lane in order, without the first `after`. */
  messages(lane: string, after?: number): Promise<readonly Message[]>
  toolExecution(lane: string, turn: number, index: number): Promise<ToolExecution | null>
  /** Calls of a Run, or of one of its lanes, in the order in which they ended. */
  modelCalls(run: string, lane?: string): Promise<readonly ModelCall[]>
  /** Events with ids over `after`, in order. */
  events(filter: { readonly run?: string; readonly after: number; readonly limit: number }): Promise<readonly Event[]>
  /** The id of the newest event of all Runs; 0 when there is none. */
  lastEvent(): Promise<number>
  /** The Runs that have events with ids over `after`, the one with the newest event first. */
  runsSince(after: number): Promise<readonly string[]>
  /** Lists events, newest first. */
  recentEvents<Type extends EventType = EventType>(filter: RecentEvents<Type>): Promise<readonly EventOfType<Type>[]>
  /** Calls of models and tools, latest start first. */
  timeline(filter: TimelineFilter): Promise<readonly TimelineEntry[]>
  /** The number of tool calls by story; null stands for calls that belong to no story. */
  toolCallCounts(run: string): Promise<ReadonlyMap<string | null, number>>
  verification(runId: string): Promise<VerificationRow | null>
  /** Verifications of a Run, or of one of its stories, in the order in which they ended. */
  verifications(run: string, story?: string): Promise<readonly VerificationRow[]>
  /**
   * Each time that a test of any Run both failed and passed without a change, in the order in which
   * the verifications ended.
   */
  flakyTests(): Promise<readonly FlakyTest[]>
  contextFiles(run: string, story: string): Promise<readonly ContextFile[]>
  /** Hidden tests of a Run, or of the machine of a story's tests; null without any. */
  acceptanceTests(owner: string): Promise<AcceptanceTests | null>
  /** Lists messages in order of id. */
  chat(filter: ChatFilter): Promise<readonly ChatMessage[]>
  /** Null also for a text that is not an id. */
  chatMessage(id: string): Promise<ChatMessage | null>
  /** Totals of a Run, or of one of its stories. */
  totals(run: string, story?: string): Promise<Totals>
  /**
   * True if a provider has answered any call of a Run. `provider` is the start of its model ids. An
   * overload error counts as an answer.
   */
  hasAnswered(run: string, provider: string): Promise<boolean>
  /** True if an amount is reserved for a call of the lane. */
  holdsReservation(lane: string): Promise<boolean>
  /**
   * The spending of a Run, or of one of its stories, including the reservations of calls in
   * progress (`reserved`). `underWay` is the number of these calls in the whole Run.
   */
  spent(run: string, story?: string): Promise<Spent & { readonly reserved: Spent; readonly underWay: number }>
  /** The spending by story and agent, in the order of their first calls. */
  spending(run: string): Promise<readonly Spending[]>
  /** The use of each agent's calls over time, in at most `points` spans. */
  spendingOver(
    run: string,
    during: { readonly from: Date; readonly to: Date; readonly points: number },
  ): Promise<SpendingOver>
  pendingCommands(): Promise<readonly CommandRow[]>
  /** The command that was stored under a key, applied or not. */
  commandAt(key: string): Promise<Command | null>
  commandApplied(key: string): Promise<boolean>
  /** Calls to forges and remotes for a Run, in the order in which they were first started. */
  forgeCalls(run: string): Promise<readonly ForgeCall[]>
  /** Calls with one name, of all Runs, whose key begins with a prefix. */
  forgeCallsNamed(call: string, prefix: string): Promise<readonly ForgeCall[]>
  /**
   * True if no step of the Run is queued or in progress. Notifications do not count: they only
   * inform people about the Run.
   */
  isIdle(run: string): Promise<boolean>
}

/**
 * The next step of a machine: queued now, queued for a later time, or none until something else
 * moves the machine.
 */
export type Next = 'queue' | 'rest' | Date

/** A machine that starts in the first state of its kind. */
export interface NewMachine<Kind extends MachineKind> extends Pick<Machine, 'id' | 'run' | 'story'> {
  readonly kind: Kind
  readonly data: Machines[Kind]['data']
}

/** The changes of a move besides the state. */
export interface MoveChange<M extends Machine> {
  readonly next: Next
  readonly data?: Partial<M['data']>
}

/** Writes. Either all of them happen or none. */
export interface Transaction extends Records, HubWrites {
  /** Inserts a machine as given, in any state: for a copy of a machine. */
  insertMachine(machine: Omit<Machine, 'version'>): Promise<Machine>
  create<Kind extends MachineKind>(machine: NewMachine<Kind>, next: Next): Promise<Machines[Kind]>
  /**
   * Takes a transition of the machine's table. Throws when the table does not have it. Fenced:
   * throws StaleVersion when the stored version is not `machine.version`. Returns the machine with
   * its next version. A step queued for the version before can no longer change anything.
   */
  move<M extends AnyMachine>(machine: M, event: EventOf<M>, change: MoveChange<M>): Promise<M>
  /**
   * Changes data alone. Fenced like `move`. A queued step stays queued, and one in progress is
   * handed out again.
   */
  edit<M extends Machine>(machine: M, data: Partial<M['data']>): Promise<M>
  appendEvent(event: NewEvent): Promise<void>
  /**
   * Stores a message and returns it. Throws for content over `limits.chatChars`, and for a
   * `reply_to` that is not a message of the same Run.
   */
  postMessage(message: Omit<ChatMessage, 'id' | 'timestamp'>): Promise<ChatMessage>
  appendMessages(lane: string, messages: readonly Message[]): Promise<void>
  /**
   * Reserves an amount for the lane's next call. An earlier reservation that is still open belonged
   * to a call whose end is unknown, and counts as spent.
   */
  reserve(lane: Pick<Machine, 'id' | 'run' | 'story'>, amount: Amount): Promise<void>
  /**
   * Ends a reservation. `known`: the call's row holds its cost, or the call was free. `lost`: the
   * cost is unknown, so the amount stays spent.
   */
  settle(lane: string, outcome: 'known' | 'lost'): Promise<void>
  /**
   * Reserves an amount in addition to the lane's open ones: for one of several calls at once.
   * Returns the id of the reservation.
   */
  reserveBeside(lane: Pick<Machine, 'id' | 'run' | 'story'>, amount: Amount): Promise<number>
  changeReservation(id: number, amount: Amount): Promise<void>
  /**
   * Settles one reservation, as `settle` does. A reservation that was lost with its lane also ends
   * once the cost is known after all.
   */
  settleReservation(id: number, outcome: 'known' | 'lost'): Promise<void>
  insertModelCall(call: ModelCall): Promise<void>
  /** The number of a lane's next call, where the lane's steps do not count its calls. */
  nextTurn(lane: string): Promise<number>
  /** Does nothing when the row exists. */
  startTool(execution: ToolExecution): Promise<void>
  finishTool(execution: ToolExecution): Promise<void>
  /** Removes the rows of the lane's calls that were stored as started and never began. */
  withdrawTools(lane: string): Promise<void>
  insertVerification(row: VerificationRow): Promise<void>
  /** Replaces the tests that the same owner had. */
  keepAcceptanceTests(owner: string, tests: AcceptanceTests): Promise<void>
  insertContextFile(file: ContextFile): Promise<void>
  /** Does nothing when the key exists. */
  insertCommand(row: CommandRow): Promise<void>
  markApplied(key: string): Promise<void>
  /** Does nothing when the key exists. */
  startForgeCall(call: Pick<ForgeCall, 'key' | 'run' | 'call' | 'request'>): Promise<void>
  finishForgeCall(key: string, answer: Json): Promise<void>
  /** Queues the next step of a machine at rest. Does nothing when a step is queued already. */
  queue(machine: Machine): Promise<void>
  /**
   * Makes a step that is queued for a later time due now. Does nothing for a machine without one.
   */
  hasten(machine: Machine): Promise<void>
  /**
   * Takes back the steps of a Run that no worker has started, whatever their time, and returns
   * their machines. Steps in progress end as usual. Leaves notifications and the machines in
   * `except` alone.
   */
  hold(run: string, except?: readonly string[]): Promise<readonly string[]>
  /**
   * Removes all steps of a Run, or those of the machines in `only`, and returns their machines.
   * Steps in progress are aborted and can no longer commit. Leaves notifications alone.
   */
  drop(run: string, only?: ReadonlySet<string>): Promise<readonly string[]>
  /**
   * True if this transaction has written anything. A transaction without writes is not a commit, so
   * no listener is called.
   */
  hasWritten(): boolean
}

export interface Store extends Records {
  /**
   * Serialized with every other writer, of this process or another: a transaction sees all earlier
   * commits, and nobody else writes before it ends. SQLite has one writer. A database with several
   * takes one lock for the whole state. The workflow relies on this wherever it reads before it
   * writes: slots (`schedule`), the order of merges (`startNextMerge`), the last step of a Run
   * (`isIdle`), and budgets (`reserve`). Event ids grow in the order of commits, so a reader that
   * follows them misses none.
   */
  transact<T>(work: (tx: Omit<Transaction, 'hold' | 'drop'>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * The rows of calls to forges and remotes, alongside the owner of the state. Close it after use.
 */
export interface ForgeCalls
  extends Pick<Transaction, 'forgeCalls' | 'forgeCallsNamed' | 'startForgeCall' | 'finishForgeCall'> {
  close(): Promise<void>
}

/** The records of a state that another process may own. Close it after use. */
export interface StateReader extends Records {
  close(): Promise<void>
}

/** The error when a machine has changed since it was read. Code that meets it changes nothing. */
export class StaleVersion extends Error {
  constructor(machine: string, version: number) {
    super(`machine ${machine} is no longer at version ${version}`)
    this.name = 'StaleVersion'
  }
}
