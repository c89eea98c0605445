import type { ChatMessage, PostType } from '../domain/chat.ts'
import type { Event, EventOfType, EventType, NewEvent } from '../domain/event.ts'
import type { Message } from '../domain/lane/message.ts'
import type { Machine, MachineKind } from '../domain/machine.ts'
import type { AnyMachine, EventOf, Machines } from '../domain/machines.ts'
import type { Amount, Spending, Spent } from '../domain/run/budget.ts'
import type { FlakyTest } from '../domain/verification/verification.ts'
import type { CommandRow, ContextFile, ModelCall, ToolExecution, VerificationRow } from './rows.ts'

export interface Job {
  readonly id: number
  /** The kind of the machine. */
  readonly queue: MachineKind
  readonly machine: string
  /** That the machine is of. */
  readonly run: string
  readonly version: number
  /** ISO 8601: not before. */
  readonly runAt: string
}

export interface MachineFilter {
  readonly kind: MachineKind
  readonly run?: string
  readonly states?: readonly string[]
}

export interface ChatFilter {
  readonly run: string
  /** null: only the messages of the Run itself; left out: those of its stories, too. */
  readonly story?: string | null
  /** An id, or `0`: only what was posted later. */
  readonly after?: string
  readonly postType?: PostType
  /** How many, from the first on. */
  readonly limit?: number
}

export interface Totals {
  readonly calls: number
  /** With what calls that nobody saw end may have used, as it counts against the budget. */
  readonly tokens: number
  readonly toolCalls: number
  /**
   * Of the calls whose price is known, in millionths of a dollar; with what calls that nobody saw
   * end may have cost.
   */
  readonly costMicroUsd: number
  /** Calls with tokens, and calls that nobody saw end, whose price is not known. */
  readonly unpriced: number
}

/**
 * Equal spans from `from` to `to` or the end of the last call, at most as many as calls: the end of
 * each, and what was used in it, where anything was. A call counts when it ends.
 */
export interface SpendingOver {
  readonly ends: readonly Date[]
  readonly used: readonly {
    readonly span: number
    /** `architect`, `editor` or `scout`. */
    readonly agent: string
    readonly microUsd: number
    readonly tokens: number
  }[]
}

/** What is looked for in the event log of a Run: of one story, of some types, before an id. */
export interface RecentEvents<Type extends EventType> {
  readonly run: string
  readonly story?: string
  readonly types?: readonly Type[]
  readonly before?: number
  readonly limit: number
}

/**
 * What is looked for in the timeline of a Run: of one story, before an entry, or one entry alone.
 */
export interface TimelineFilter {
  readonly run: string
  readonly story?: string
  readonly before?: string
  readonly at?: string
  readonly limit: number
}

/** One call with its place in the timeline; a text that is no place finds nothing. */
export type TimelineEntry =
  | { readonly type: 'model_call'; readonly cursor: string; readonly call: ModelCall }
  | { readonly type: 'tool_call'; readonly cursor: string; readonly call: ToolExecution }

/** Reading. Outside a transaction it sees the last commit. */
export interface Records {
  machine(id: string): Promise<Machine | null>
  /** In order of creation. */
  machines(filter: MachineFilter): Promise<readonly Machine[]>
  /** How many of them are in each state; without what they hold. */
  machineCounts(filter: Omit<MachineFilter, 'states'>): Promise<ReadonlyMap<string, number>>
  messages(lane: string): Promise<readonly Message[]>
  toolExecution(lane: string, turn: number, index: number): Promise<ToolExecution | null>
  /** Of a Run, or of one lane of it, in the order in which they ended. */
  modelCalls(run: string, lane?: string): Promise<readonly ModelCall[]>
  /** With ids over `after`, in order. */
  events(filter: { readonly run?: string; readonly after: number; readonly limit: number }): Promise<readonly Event[]>
  /** The id of the newest event of all Runs; 0 without one. */
  lastEvent(): Promise<number>
  /** Newest first. */
  recentEvents<Type extends EventType = EventType>(filter: RecentEvents<Type>): Promise<readonly EventOfType<Type>[]>
  /** Calls of models and tools, newest first by their start. */
  timeline(filter: TimelineFilter): Promise<readonly TimelineEntry[]>
  /** How many calls of tools each story has; null for those about none. */
  toolCallCounts(run: string): Promise<ReadonlyMap<string | null, number>>
  verification(runId: string): Promise<VerificationRow | null>
  /** Of a whole Run, or of one story of it, in the order in which they ended. */
  verifications(run: string, story?: string): Promise<readonly VerificationRow[]>
  /**
   * Each time that a test failed and passed without a change, in any Run, in the order in which the
   * verifications ended.
   */
  flakyTests(): Promise<readonly FlakyTest[]>
  contextFiles(run: string, story: string): Promise<readonly ContextFile[]>
  /** In order of id. */
  chat(filter: ChatFilter): Promise<readonly ChatMessage[]>
  /** null also for a text that is no id. */
  chatMessage(id: string): Promise<ChatMessage | null>
  /** Of a whole Run, or of one story of it. */
  totals(run: string, story?: string): Promise<Totals>
  /**
   * Whether a provider, as model ids begin, has answered a call of a Run; to say that it has too
   * much to do is an answer, too.
   */
  hasAnswered(run: string, provider: string): Promise<boolean>
  /** Whether an amount is held for a call of the lane. */
  holdsReservation(lane: string): Promise<boolean>
  /**
   * What a Run, or one story of it, has spent, with what is reserved by calls under way; and how
   * many of them the Run has.
   */
  spent(run: string, story?: string): Promise<Spent & { readonly reserved: Spent; readonly underWay: number }>
  /** The same by story and agent, in the order of their first calls. */
  spending(run: string): Promise<readonly Spending[]>
  /**
   * What each agent's calls have used over time; with a few numbers however many calls there are.
   */
  spendingOver(
    run: string,
    during: { readonly from: Date; readonly to: Date; readonly points: number },
  ): Promise<SpendingOver>
  pendingCommands(): Promise<readonly CommandRow[]>
  commandApplied(key: string): Promise<boolean>
  jobs(): Promise<readonly Job[]>
  /**
   * How many jobs wait or run for machines of that Run. What only tells people of it, its
   * notifications, is no work on it.
   */
  openJobs(run: string): Promise<number>
}

/**
 * What follows for a machine: its next step is queued, now or not before a time, or it rests until
 * something else moves it.
 */
export type Next = 'queue' | 'rest' | Date

/** A machine that begins in the first state of its kind. */
export interface NewMachine<Kind extends MachineKind> extends Pick<Machine, 'id' | 'run' | 'story'> {
  readonly kind: Kind
  readonly data: Machines[Kind]['data']
}

/** What a move changes beside the state. */
export interface MoveChange<M extends Machine> {
  readonly next: Next
  readonly data?: Partial<M['data']>
}

/** Writing, all or nothing. */
export interface Transaction extends Records {
  /** As it is, whatever its state: for a copy of a machine. */
  insertMachine(machine: Omit<Machine, 'version'>): Promise<Machine>
  create<Kind extends MachineKind>(machine: NewMachine<Kind>, next: Next): Promise<Machines[Kind]>
  /**
   * Takes a transition of the machine's table. Throws when the table has none. Fenced: throws
   * StaleVersion when the stored version is not `machine.version`. Returns the machine with the
   * next version; a step that was queued for the version before changes nothing any more.
   */
  move<M extends AnyMachine>(machine: M, event: EventOf<M>, change: MoveChange<M>): Promise<M>
  /**
   * Changes data alone. Fenced like `move`; a step that is queued stays so, and one under way is
   * taken again.
   */
  edit<M extends Machine>(machine: M, data: Partial<M['data']>): Promise<M>
  appendEvent(event: NewEvent): Promise<void>
  /**
   * Returns it as it was stored. Throws for a content over `limits.chatChars`, and for a `reply_to`
   * that is no message of the same Run.
   */
  postMessage(message: Omit<ChatMessage, 'id' | 'timestamp'>): Promise<ChatMessage>
  appendMessages(lane: string, messages: readonly Message[]): Promise<void>
  /**
   * Holds an amount for the call that a lane is about to make; what it held before was of a call
   * that nobody saw end, and stays spent.
   */
  reserve(lane: Pick<Machine, 'id' | 'run' | 'story'>, amount: Amount): Promise<void>
  /**
   * `known`: what the call cost is in its row, or it cost nothing. `lost`: nobody knows; the amount
   * stays spent.
   */
  settle(lane: string, outcome: 'known' | 'lost'): Promise<void>
  insertModelCall(call: ModelCall): Promise<void>
  /** Does nothing when the row is there. */
  startTool(execution: ToolExecution): Promise<void>
  finishTool(execution: ToolExecution): Promise<void>
  insertVerification(row: VerificationRow): Promise<void>
  insertContextFile(file: ContextFile): Promise<void>
  /** Does nothing when the key is there. */
  insertCommand(row: CommandRow): Promise<void>
  markApplied(key: string): Promise<void>
  /** The next step of a machine, at its present version. */
  enqueue(machine: Machine, runAt?: Date): Promise<void>
  endJob(id: number): Promise<void>
  /** Of the same machines. */
  endJobsOf(run: string): Promise<void>
  /**
   * Whether anything was written so far: a transaction without is no commit, and nobody is told of
   * it.
   */
  hasWritten(): boolean
}

export interface Store extends Records {
  /** Serialized with every other writer, of this process or another. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A machine was changed by someone else since it was read; whoever meets this changes nothing. */
export class StaleVersion extends Error {
  constructor(machine: string, version: number) {
    super(`machine ${machine} is no longer at version ${version}`)
    this.name = 'StaleVersion'
  }
}
