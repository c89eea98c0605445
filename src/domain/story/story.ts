import type { Unmet } from '../acceptance/criteria.ts'
import type { Claim } from '../claim.ts'
import type { TrackedFinding } from '../gate/finding.ts'
import type { LaneStop } from '../lane/lane.ts'
import type { LastWords } from '../lane/last-words.ts'
import type { Machine } from '../machine.ts'
import type { RequestKind, ReviewKind } from '../request/request.ts'
import type { Task } from '../run/task.ts'
import type { ScoutKind } from '../scout/scout-report.ts'
import type { TestCounts } from '../verification/tests-seen.ts'
import type { InfraError, Verdict } from '../verification/verdict.ts'
import type { Failures } from './failures.ts'
import type { Plan } from './plan.ts'
import type { PlannedStory } from './planned-story.ts'
import type { StoryEvent, StoryState } from './story-machine.ts'

/** One verification of a story, as its history keeps it. */
export interface Attempt {
  readonly runId: string
  readonly status: Verdict['status']
  readonly sha: string
  /** Null when no test results were read; left out by older versions. */
  readonly tests?: TestCounts | null
  /** Number of steps that passed before the end; left out by older versions. */
  readonly steps?: number
  /**
   * Identifies tree, base and configuration, for which the verdict holds; left out by older
   * versions.
   */
  readonly of?: string
  /** True if the verification was of a slice, not of the whole change. */
  readonly isSlice?: true
  /** True if a timeout, flaky tests or the infrastructure decided: a retry may end differently. */
  readonly isUnsure?: true
  /**
   * The reason for a result other than PASS, in one line; null for a PASS, left out by older
   * versions.
   */
  readonly why?: string | null
  /** The editor's hypothesis with the change; left out by older versions. */
  readonly hypothesis?: string | null
}

/** Counts the extensions of a stopped editor since its story reached a new best. */
export interface Extensions {
  readonly given: number
  /** The best verdict, the most settled findings, and a 1 for a plan, as numbers. */
  readonly best: readonly number[]
}

/** The last change that an editor submitted. */
export interface Change {
  readonly summary: string
  readonly nextSlice: string | null
  /** The editor's reason for an empty change, given with `no_change`. */
  readonly claim?: Claim
  /** Left out by older versions. */
  readonly hypothesis?: string | null
  /** True if the editor only talked, so Drydock submitted the content of the workspace. */
  readonly isHandedInFor?: true
}

/** The place of the context files in a workspace. */
export interface ContextPlace {
  readonly folder: string
  /** The reason why the newest could not be written there; null if it was. */
  readonly problem: string | null
}

export interface ChangeSummary {
  readonly text: string
  readonly files: readonly string[]
  /** Changed files that the plan does not name. */
  readonly outsidePlan: readonly string[]
  /** Facts about the tests besides the exit codes, a line each; left out by older versions. */
  readonly facts?: readonly string[]
  readonly tests: readonly string[]
  /** Totals, when the lists name only the first entries. */
  readonly counts?: { readonly files: number; readonly outsidePlan: number; readonly tests: number }
}

/** The state of the reviews of one kind. */
export interface Review {
  /** Rounds sent back since the last question to a human. */
  readonly returned: number
  readonly findings: readonly TrackedFinding[]
  /** The last reviewed commit. */
  readonly sha: string | null
}

/**
 * The move that a story makes once it has a workspace, and the state before; in INFRA_ERROR, the
 * move of a retry.
 */
export interface PendingMove {
  readonly from: StoryState
  readonly event: StoryEvent
  readonly answer: {
    readonly output: string
    readonly guidance?: string | null
    readonly ok: boolean
    readonly marks?: readonly string[]
  } | null
  /** The architect's notes on an approved plan. */
  readonly notes: string | null
  /** The lost or left host of the workspace, if that is why the story has none. */
  readonly moved?: { readonly from: string; readonly lost: boolean }
}

export interface StoryData {
  /** Name in lanes and replay files: `task`, after a retry `task@2`. */
  readonly name: string
  readonly task: Task
  /** The story as the architect planned it; null for a task. */
  readonly planned: PlannedStory | null
  readonly dryRun: boolean
  /** The start commit, the tip of the run branch. */
  readonly base: string
  /**
   * Null without a slot: before the start, after the end, or while the story waits and another one
   * uses its slot.
   */
  readonly slot: string | null
  /** The newest event when the story got its last slot; left out before, and by older versions. */
  readonly turn?: number
  readonly retries: number
  /** PLANNING lanes opened since the last retry. */
  readonly planning: number
  readonly failures: Failures
  /** Verdicts in a row against the story that flaky tests alone decided. */
  readonly flakyInRow: number
  readonly plans: readonly Plan[]
  /**
   * Number of failed plans when the present PLANNING began; missing in stories begun by an older
   * Drydock.
   */
  readonly failedPlans?: number
  /** Number of verdicts when the newest plan came; missing if none has come since. */
  readonly attemptsBeforePlan?: number
  readonly hypotheses: readonly string[]
  readonly attempts: readonly Attempt[]
  /** Number of attempts before a human last retried the story, or decided about its tests. */
  readonly earlierAttempts: number
  readonly queries: Readonly<Record<ScoutKind, number>>
  readonly contextFiles: number
  /** Left out by older versions, which always used `agent`. */
  readonly contextPlace?: ContextPlace
  readonly snapshots: number
  readonly snapshot: { readonly sha: string; readonly tree: string } | null
  /** Id of the last message about work lost with a host; absent until then. */
  readonly lossTold?: string
  /** Machine id of the working lane. */
  readonly lane: string | null
  readonly change: Change | null
  /** True for a task that ended without a change; left out by older versions. */
  readonly unchanged?: boolean
  /**
   * At an end without DONE: true if a snapshot keeps a change of the story. Left out if the
   * workspace could not be snapshotted, and before the end.
   */
  readonly kept?: boolean
  readonly summary: ChangeSummary | null
  readonly stuckReport: string | null
  readonly guidance: string | null
  /** The reason for an end without DONE. */
  readonly stop:
    | {
        readonly reason: LaneStop | 'hard_stop' | 'flaky_tests' | 'rejected'
        /** For a lane, the reason why it was stopped, with figures; left out by older versions. */
        readonly cause?: string
        /** A lane's last calls, or the last answer to it; the words of a rejection. */
        readonly last?: string | null
        readonly words?: LastWords
      }
    | { readonly infra: InfraError }
    | null
  /**
   * A human decides about a verification whose failing tests all fail on the base commit as well;
   * `tests` names them. Null, or left out by older versions, at any other time.
   */
  readonly redBase?: { readonly runId: string; readonly tests: readonly string[] } | null
  /** True if a person decides about the last plan. False, or left out by older versions, else. */
  readonly isPlanAsked?: boolean
  /** The state to return to from QUESTION, BUDGET_REVIEW and ESCALATED. */
  readonly origin: StoryState | null
  /** The state to return to from PAUSED. */
  readonly pausedIn: StoryState | null
  /** Id of the chat message to a human. */
  readonly escalation: string | null
  /** Requests so far since the last retry, by kind. */
  readonly requests: Readonly<Record<RequestKind, number>>
  /** Questions to the architect since the last question to a human because of them. */
  readonly questions: number
  /** Left out by older versions, and before the first. */
  readonly extensions?: Extensions
  /** Unmet criteria, until a change meets all; left out by older versions. */
  readonly unmet?: Unmet
  /** Machine id of the open request. */
  readonly request: string | null
  readonly reviews: Readonly<Record<ReviewKind, Review>>
  readonly mergeReturns: number
  /**
   * A merge was sent back: the workspace then has both the tip and this candidate, and the next
   * commits have both as parents.
   */
  readonly merging: {
    readonly candidate: string
    /** Paths that conflicted; no conflict marker may be left in them. */
    readonly conflicts: readonly string[]
    /** The red verification; null for a conflict. */
    readonly runId: string | null
    /** The editor's message about the return. */
    readonly facts: string
  } | null
  readonly pending: PendingMove | null
}

export type Story = Machine<StoryState, StoryData, 'story'>

const noReview: Review = { returned: 0, findings: [], sha: null }

/** The initial data of a story, also after a retry. */
export const freshWork = {
  planning: 0,
  failedPlans: 0,
  failures: { consecutive: 0, loops: 0 },
  flakyInRow: 0,
  earlierAttempts: 0,
  queries: { codebase: 0, build: 0 },
  lane: null,
  change: null,
  unchanged: false,
  stop: null,
  redBase: null,
  isPlanAsked: false,
  origin: null,
  pausedIn: null,
  escalation: null,
  requests: { question: 0, plan: 0, code: 0, completion: 0, budget: 0, acceptance: 0 },
  unmet: { told: 0, judged: 0 },
  questions: 0,
  extensions: { given: 0, best: [] },
  request: null,
  reviews: { plan: noReview, code: noReview, completion: noReview },
  mergeReturns: 0,
  pending: null,
} as const satisfies Partial<StoryData>

export function newStory(input: Pick<StoryData, 'name' | 'task' | 'planned' | 'dryRun' | 'base' | 'slot'>): StoryData {
  return {
    ...input,
    ...freshWork,
    retries: 0,
    plans: [],
    hypotheses: [],
    attempts: [],
    contextFiles: 0,
    snapshots: 0,
    snapshot: null,
    summary: null,
    stuckReport: null,
    guidance: null,
    merging: null,
  }
}

/** The slot that a story works in; its state guarantees one, so a missing one is a bug. */
export function slotOf({ id, state, data }: Pick<Story, 'id' | 'state' | 'data'>): string {
  if (data.slot === null) throw new Error(`story ${id} has no slot in ${state}`)
  return data.slot
}

const reviews: Partial<Record<StoryState, ReviewKind>> = {
  PLAN_REVIEW: 'plan',
  CODE_REVIEW: 'code',
  COMPLETION_REVIEW: 'completion',
}

/** The kind of review in a state; null if the state is not a review. */
export function reviewIn(state: StoryState | null): ReviewKind | null {
  return state === null ? null : (reviews[state] ?? null)
}

/** The task that an editor gets for a planned story. */
export function taskOf({ title, content, acceptance_criteria, files_hint }: PlannedStory): Task {
  return {
    text: `${title}\n\n${content}`.trim(),
    constraints: [],
    non_goals: [],
    acceptance_criteria,
    files: files_hint,
  }
}

/** The editor's claim about a task that ended without a change, accepted or not; else null. */
export function claimOf({ change, unchanged = false }: Pick<StoryData, 'change' | 'unchanged'>): Claim | null {
  if (change === null || !unchanged) return null
  return change.claim ?? { reason: change.summary, evidence: null }
}
