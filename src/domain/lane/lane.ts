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

/** A lane can continue however it ended. */
const always = { continued: 'ASKING', ended: 'ENDED' } as const
const answering = { call_answered: 'ACTING', all_answered: 'ASKING' } as const

/** The lane machine as data. */
export const laneTable: MachineTable<LaneState, LaneEvent> = {
  ASKING: {
    /**
     * The model gave no call, or no answer, or has room to be made for it: it is asked once more,
     * perhaps later.
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

/** Who speaks in a lane: decides prompt, tools and access to the workspace. */
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

/** Whether its lane is about tests that no editor sees, before there is a change. */
export function writesTests(role: AgentRole): boolean {
  return role === 'architect_tests' || role === 'architect_quotes'
}

/** Who answers for a role, as chat messages and people name it. */
export type Agent = 'architect' | 'editor' | 'scout'

export function agentOf(role: AgentRole): Agent {
  if (role.startsWith('architect')) return 'architect'
  return role.endsWith('_scout') ? 'scout' : 'editor'
}

/**
 * Model requests of a lane: from `warnFrom` on a warning goes with each, from `refuseFrom` on only
 * the terminal tool works, at `hard` none is sent.
 */
export interface LaneLimits {
  readonly warnFrom: number
  readonly refuseFrom: number
  readonly hard: number
  /** Replies that may bring nothing new, all in all; left out for a lane without that bound. */
  readonly idle?: number | undefined
  /** Replies in a row with nothing new; left out for a lane that owes nothing but its answer. */
  readonly withoutProgress?: number | undefined
}

export interface LaneData {
  /** As replay files name it: `editor/task/PLANNING`. */
  readonly key: string
  readonly role: AgentRole
  /** The machine that is told of the exit. */
  readonly parent: string
  readonly system: string
  /**
   * What the sections of a human carry in this lane, and nothing else can; missing in lanes of an
   * older Drydock.
   */
  readonly humanKey?: string
  readonly limits: LaneLimits
  /** An architect reviews its work and answers its questions; left out where nobody does. */
  readonly reviewed?: true
  /** It has `read_skill`; left out where the repository has no skills. */
  readonly skills?: true
  /** Its Run has several repositories; left out for one alone. */
  readonly repositories?: true
  /** Tools of the user's MCP servers that it has; left out where there are none. */
  readonly mcp?: readonly McpTool[]
  /**
   * Files of guides that it was given beside its first message; missing in lanes of an older
   * Drydock.
   */
  readonly guided?: readonly string[]
  /** The model that it asks; missing where its role has only one. */
  readonly model?: string
  /** Model calls committed, failed ones included. */
  readonly turn: number
  /** Replies received. */
  readonly iterations: number
  /** Calls that failed since the last reply, or the last time its provider answered nobody. */
  readonly failedCalls: number
  /** Replies in a row that broke off or never ended; missing for none. */
  readonly brokenReplies?: number | undefined
  /** Replies in a row that were cut at their length limit; missing for none. */
  readonly cutReplies?: number | undefined
  /** The reason why the lane stands still; null while it continues. */
  readonly rest: LaneRest | null
  /** Calls of the last reply, and the results they have so far, in their order. */
  readonly calls: readonly ToolCall[]
  readonly results: readonly ToolResult[]
  readonly repeated: Repeated | null
  /** Replies in a row that called no tool; left out before the first. */
  readonly wordsOnly?: number
  /** How often terminal calls were refused, by tool and reason; left out before the first. */
  readonly refusals?: Readonly<Record<string, number>>
  /** Its last call was made for it, since its model only talked; left out before. */
  readonly isCalledFor?: boolean
  /** Whether the lane waits for a human's answer about its model; left out before. */
  readonly isAskedAbout?: boolean
  readonly progress: Progress
  /**
   * What the last reply said of the conversation's size, or a cut has left of that: tokens of the
   * first `messages` that are sent; null before one has.
   */
  readonly measured: { readonly tokens: number; readonly messages: number } | null
  /** Id of the last chat message that was handed to it; null before the first. */
  readonly heard: string | null
  readonly cut: Cut
  /** The list that it keeps of its own work; missing before it has made one. */
  readonly todos?: readonly Todo[]
  /** How far its foreign agent is; missing in any other lane, and before its first turn. */
  readonly agent?: AgentProgress
}

/** What a lane knows of its foreign agent between two turns. */
export interface AgentProgress {
  /** Id of the session that the next turn loads; null when a new one is to be opened. */
  readonly session: string | null
  /** Messages of the conversation that the session knows. */
  readonly told: number
  /** Turns in a row that it ended without a call of a tool that counts. */
  readonly idle: number
  /** Its last turn was cut off, so that the session may know more than it was told for certain. */
  readonly isCut?: true
}

export const freshAgent: AgentProgress = { session: null, told: 0, idle: 0 }

export type Lane = Machine<LaneState, LaneData, 'lane'>

/**
 * The parts of a conversation that are no longer sent as they were said, since the model's window
 * is limited. All of them stay stored.
 */
export interface Cut {
  /** Results of tools in messages before this one are sent as a note of their size. */
  readonly shortenedTo: number
  /**
   * The model's own text in place of the messages before `upTo`. Its prompt and the messages to it
   * are still sent. Empty when the model could not be asked. `todos`: its list as it was then.
   */
  readonly summary: { readonly text: string; readonly upTo: number; readonly todos?: readonly Todo[] } | null
  /** Requests for a summary, failed ones included; they are no turns of the lane. */
  readonly summaryCalls: number
  /**
   * The smallest size that its provider refused as too long, in tokens, and whether a shorter one
   * was answered since; null before.
   */
  readonly overflow: { readonly tokens: number; readonly answered: boolean } | null
}

const uncut: Cut = { shortenedTo: 0, summary: null, summaryCalls: 0, overflow: null }

/** The data that a lane starts with. */
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

/** Why a lane waits for its provider, and until when at least; null when it does not. */
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
 * The last tool call, as a fingerprint of tool, arguments and result, and how often in a row it
 * came.
 */
export interface Repeated {
  readonly fingerprint: string
  readonly count: number
  /** The last answer to a question that other agents answer; left out for any other call. */
  readonly answer?: string
}

/** Why a lane ended without its terminal tool. */
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

export function countRepeated(before: Repeated | null, fingerprint: string): Repeated {
  return { fingerprint, count: before?.fingerprint === fingerprint ? before.count + 1 : 1 }
}
