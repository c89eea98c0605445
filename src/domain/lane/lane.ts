import type { Machine, MachineTable } from '../machine.ts'
import type { McpTool } from '../mcp/mcp-tool.ts'
import type { BudgetRest, LaneRest } from '../rest.ts'
import type { ToolCall, ToolResult } from './message.ts'
import { noProgress, type Progress } from './progress.ts'
import type { Todo } from './todos.ts'

/**
 * A lane is one conversation with a model. ASKING: its model is the next to answer. ACTING: calls
 * of its last reply are waiting to run. WAITING: a scout, the architect or a verification will
 * answer the last open call. ENDED: it has its exit.
 */
export const laneStates = ['ASKING', 'ACTING', 'WAITING', 'ENDED'] as const

export type LaneState = (typeof laneStates)[number]

export const laneEvents = [
  'again',
  'called',
  'call_answered',
  'all_answered',
  'handed_over',
  'short_of_budget',
  'stopped',
  'continued',
  'ended',
] as const

export type LaneEvent = (typeof laneEvents)[number]

/** An ended lane can always be continued. */
const always = { continued: 'ASKING', ended: 'ENDED' } as const
const answering = { call_answered: 'ACTING', all_answered: 'ASKING' } as const

/** The lane machine as data. */
export const laneTable: MachineTable<LaneState, LaneEvent> = {
  ASKING: {
    /**
     * The model gave no call or no answer, or its context must be cut first: the lane asks once
     * more, perhaps later.
     */
    again: 'ASKING',
    called: 'ACTING',
    short_of_budget: 'ASKING',
    stopped: 'ENDED',
    ...always,
  },
  ACTING: { handed_over: 'WAITING', stopped: 'ENDED', ...answering, ...always },
  WAITING: { ...answering, ...always },
  ENDED: { continued: 'ASKING' },
}

/** The speaker of a lane; decides prompt, tools and access to the workspace. */
export type AgentRole =
  | 'editor_planning'
  | 'editor_coding'
  | 'codebase_scout'
  | 'build_scout'
  | 'architect_interview'
  | 'architect_scoping'
  | 'architect_stories'
  | 'architect_review'
  | 'architect_question'
  | 'architect_budget'
  | 'architect_tests'
  | 'architect_quotes'
  | 'architect_judge'

/** True for a role that works on hidden tests before there is a change. */
export function writesTests(role: AgentRole): boolean {
  return role === 'architect_tests' || role === 'architect_quotes'
}

/** The agent behind a role, as chat messages and people name it. */
export type Agent = 'architect' | 'editor' | 'scout'

export function agentOf(role: AgentRole): Agent {
  if (role.startsWith('architect')) return 'architect'
  return role.endsWith('_scout') ? 'scout' : 'editor'
}

/**
 * Counts of a lane's model requests: from `warnFrom` on each has a warning, from `refuseFrom` on
 * only the terminal tool works, at `hard` none is sent.
 */
export interface LaneLimits {
  readonly warnFrom: number
  readonly refuseFrom: number
  readonly hard: number
  /** Total of replies that may bring nothing new; left out for a lane without that bound. */
  readonly idle?: number | undefined
  /** Most replies in a row with nothing new; left out for a lane that need only answer. */
  readonly withoutProgress?: number | undefined
}

export interface LaneData {
  /** The lane's name in replay files: `editor/task/PLANNING`. */
  readonly key: string
  readonly role: AgentRole
  /** The machine that gets the lane's exit. */
  readonly parent: string
  readonly system: string
  /**
   * A secret that marks a human's sections in this lane, so that nothing else can pose as one;
   * missing in lanes of an older Drydock.
   */
  readonly humanKey?: string
  readonly limits: LaneLimits
  /** True if an architect reviews the lane's work and answers its questions; absent without one. */
  readonly reviewed?: true
  /** True if the lane has `read_skill`; absent where the repository has no skills. */
  readonly skills?: true
  /** True if the lane's Run has several repositories; absent for a single one. */
  readonly repositories?: true
  /** The lane's tools from the user's MCP servers; left out without any. */
  readonly mcp?: readonly McpTool[]
  /**
   * Guide files given to the lane in addition to its first message; missing in lanes of an older
   * Drydock.
   */
  readonly guided?: readonly string[]
  /** The model of the lane; missing where its role has only one. */
  readonly model?: string
  /** Model calls committed, failed ones included. */
  readonly turn: number
  /** Replies received. */
  readonly iterations: number
  /** Calls that failed since the last reply, or since the last outage of the provider. */
  readonly failedCalls: number
  /** Replies in a row that broke off or never ended; missing for none. */
  readonly brokenReplies?: number | undefined
  /** Replies in a row that were cut at their length limit; missing for none. */
  readonly cutReplies?: number | undefined
  /** The reason why the lane stands still; null while it continues. */
  readonly rest: LaneRest | null
  /** Calls of the last reply, and their results so far, in order. */
  readonly calls: readonly ToolCall[]
  readonly results: readonly ToolResult[]
  readonly repeated: RepeatCount | null
  /** Replies in a row that called no tool; left out before the first. */
  readonly wordsOnly?: number
  /** Counts of refused terminal calls, by tool and reason; left out before the first. */
  readonly refusals?: Readonly<Record<string, number>>
  /** Drydock made the last call for the lane, since its model only talked; left out otherwise. */
  readonly isCalledFor?: boolean
  /** True if the lane waits for a human's answer about its model; absent otherwise. */
  readonly isAskedAbout?: boolean
  readonly progress: Progress
  /**
   * The size of the conversation according to the last reply or cut: tokens of the first `messages`
   * that are sent; null before the first reply.
   */
  readonly measured: { readonly tokens: number; readonly messages: number } | null
  /** Id of the last chat message that the lane has received; null before the first. */
  readonly heard: string | null
  readonly cut: ConversationCut
  /** The lane's to-do list; missing before the first update. */
  readonly todos?: readonly Todo[]
  /** Progress of the lane's foreign agent; missing in any other lane, and before its first turn. */
  readonly agent?: AgentProgress
}

/** State of a foreign agent between two turns. */
export interface AgentProgress {
  /** Id of the session that the next turn loads; null if a new one is to be opened. */
  readonly session: string | null
  /** Number of the conversation's messages that the session has received. */
  readonly told: number
  /** Turns in a row that ended without a tool call that counts. */
  readonly idle: number
  /** True if the last turn was cut off, so the session may have received more than `told`. */
  readonly isCut?: true
}

export const freshAgent: AgentProgress = { session: null, told: 0, idle: 0 }

export type Lane = Machine<LaneState, LaneData, 'lane'>

/**
 * The parts of a conversation that are no longer sent in full, since the model's window is limited.
 * All of them stay stored.
 */
export interface ConversationCut {
  /** Tool results in messages before this one are sent as a note of their size. */
  readonly shortenedTo: number
  /**
   * The model's own summary in place of the messages before `upTo`. The prompt and messages from
   * people are still sent. Empty when the model could not be asked. `todos`: the to-do list at that
   * time.
   */
  readonly summary: { readonly text: string; readonly upTo: number; readonly todos?: readonly Todo[] } | null
  /** Requests for a summary, failed ones included; they do not count as turns of the lane. */
  readonly summaryCalls: number
  /**
   * The smallest size that the provider refused as too long, in tokens, and whether a shorter
   * request was answered since; null before the first refusal.
   */
  readonly overflow: { readonly tokens: number; readonly answered: boolean } | null
}

const uncut: ConversationCut = { shortenedTo: 0, summary: null, summaryCalls: 0, overflow: null }

/** Initial data of a lane. */
export const freshLane = {
  turn: 0,
  iterations: 0,
  failedCalls: 0,
  rest: null,
  calls: [],
  results: [],
  repeated: null,
  progress: noProgress,
  heard: null,
  measured: null,
  cut: uncut,
} as const satisfies Partial<LaneData>

/** Times are ISO 8601; `since` is missing in lanes of an older Drydock. */
export interface Suspension {
  readonly reason: string
  readonly until: string
  readonly since?: string
}

/**
 * The reason why a lane waits for its provider, and the earliest end of the wait; null when it does
 * not wait.
 */
export function suspensionOf({ rest }: Pick<LaneData, 'rest'>): Suspension | null {
  if (rest?.because !== 'provider') return null
  const { reason, until, since } = rest
  return { reason, until, ...(since !== null && { since }) }
}

/** The rest of a lane that is short of its budget; null for any other lane. */
export function shortageOf({ rest }: Pick<LaneData, 'rest'>): BudgetRest | null {
  return rest?.because === 'budget' ? rest : null
}

/**
 * The last tool call, as a fingerprint of tool, arguments and result, and the number of times in a
 * row that it came.
 */
export interface RepeatCount {
  readonly fingerprint: string
  readonly count: number
  /** The last answer to a question to other agents; left out for any other call. */
  readonly answer?: string
}

/** The reason why a lane ended without its terminal tool. */
export type LaneStop =
  | 'iteration_limit'
  | 'identical_calls'
  | 'malformed'
  | 'refused'
  | 'words_only'
  | 'no_progress'
  | 'alternating'
  | 'context_overflow'
  | 'turn_time'
  | 'tool_calls'
  | 'no_call'

export function countRepeated(before: RepeatCount | null, fingerprint: string): RepeatCount {
  return { fingerprint, count: before?.fingerprint === fingerprint ? before.count + 1 : 1 }
}
