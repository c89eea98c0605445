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
  /** null when no results of tests were read; left out by older versions. */
  readonly tests?: TestCounts | null
  /** How many steps passed before it ended; left out by older versions. */
  readonly steps?: number
  /**
   * Names tree, base and configuration, for which the verdict holds; left out by older versions.
   */
  readonly of?: string
  /** It verified a slice, not the whole change. */
  readonly isSlice?: true
  /** A timeout, flaky tests or the infrastructure decided it: another try may end otherwise. */
  readonly isUnsure?: true
  /** Why it was not green, in one line; null for a PASS, left out by older versions. */
  readonly why?: string | null
  /** What the editor believed when it handed the change in; left out by older versions. */
  readonly hypothesis?: string | null
}

/** How often a stopped editor was let go on since its story was better than ever before. */
export interface Extensions {
  readonly given: number
  /** The best verdict, the most settled findings, and whether there was a plan, as numbers. */
  readonly best: readonly number[]
}

/** The change that an editor submitted last. */
export interface Change {
  readonly summary: string
  readonly nextSlice: string | null
  /** Why it is none, as the editor said with `no_change`. */
  readonly claim?: Claim
  /** Left out by older versions. */
  readonly hypothesis?: string | null
  /** Its editor only talked: what the workspace held was handed in for it. */
  readonly isHandedInFor?: true
}

/** Where the context files are in a workspace. */
export interface ContextPlace {
  readonly folder: string
  /** Why the newest could not be written there; null when it was. */
  readonly problem: string | null
}

export interface ChangeSummary {
  readonly text: string
  readonly files: readonly string[]
  /** Changed though the plan does not name them. */
  readonly outsidePlan: readonly string[]
  /** What is known of its tests beside the exit codes, a line each; left out by older versions. */
  readonly facts?: readonly string[]
  readonly tests: readonly string[]
  /** How many there are of each, when the lists name only the first of them. */
  readonly counts?: { readonly files: number; readonly outsidePlan: number; readonly tests: number }
}

/** The state of the reviews of one kind. */
export interface Review {
  /** Sent back since a human was asked last. */
  readonly returned: number
  readonly findings: readonly TrackedFinding[]
  /** The commit that was reviewed last. */
  readonly sha: string | null
}

/**
 * The move that a story makes once it has a workspace, and from which state; in INFRA_ERROR, that
 * of a retry.
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
  /** The host that its workspace was on, when that is why it has none. */
  readonly moved?: { readonly from: string; readonly lost: boolean }
}

export interface StoryData {
  /** As lanes and replay files name it: `task`, after a retry `task@2`. */
  readonly name: string
  readonly task: Task
  /** As the architect planned it; null for a task. */
  readonly planned: PlannedStory | null
  readonly dryRun: boolean
  /** The commit it starts from, the tip of the run branch. */
  readonly base: string
  /**
   * null while it has none: before it starts, after it has ended, or given up to another story
   * while it waits.
   */
  readonly slot: string | null
  /** The newest event when it was given its last slot; left out before, and by older versions. */
  readonly turn?: number
  readonly retries: number
  /** PLANNING lanes opened since the last retry. */
  readonly planning: number
  readonly failures: Failures
  /** Verdicts in a row that flaky tests alone decided against it. */
  readonly flakyInRow: number
  readonly plans: readonly Plan[]
  /**
   * How many of the plans had failed when the present PLANNING began; missing in stories that an
   * older Drydock has begun.
   */
  readonly failedPlans?: number
  /** Verdicts that there were when its newest plan came; missing where none came since. */
  readonly attemptsBeforePlan?: number
  readonly hypotheses: readonly string[]
  readonly attempts: readonly Attempt[]
  /** Counts the attempts before a human last retried it, or decided about its tests. */
  readonly earlierAttempts: number
  readonly queries: Readonly<Record<ScoutKind, number>>
  readonly contextFiles: number
  /** Left out by older versions, which had `agent` everywhere. */
  readonly contextPlace?: ContextPlace
  readonly snapshots: number
  readonly snapshot: { readonly sha: string; readonly tree: string } | null
  /** Id of the message that told last what was lost with a host; left out before. */
  readonly lossTold?: string
  /** Machine id of the lane that works now. */
  readonly lane: string | null
  readonly change: Change | null
  /** A task has ended with nothing changed; left out by older versions. */
  readonly unchanged?: boolean
  /**
   * At an end without DONE: whether a snapshot keeps a change of it. Left out where the workspace
   * could not be snapshotted, and before.
   */
  readonly kept?: boolean
  readonly summary: ChangeSummary | null
  readonly stuckReport: string | null
  readonly guidance: string | null
  /** Why it ended without DONE. */
  readonly stop:
    | {
        readonly reason: LaneStop | 'hard_stop' | 'flaky_tests' | 'rejected'
        /** Of a lane: why it was stopped, with figures; left out by older versions. */
        readonly cause?: string
        /** A lane's last calls or the last answer that it got; the words of a rejection. */
        readonly last?: string | null
        readonly words?: LastWords
      }
    | { readonly infra: InfraError }
    | null
  /**
   * A human decides about a verification whose failing tests, which these are, all fail on the base
   * commit as well. Null, or left out by older versions, at any other time.
   */
  readonly redBase?: { readonly runId: string; readonly tests: readonly string[] } | null
  /** A person decides about the last plan. False, or left out by older versions, otherwise. */
  readonly isPlanAsked?: boolean
  /** Where QUESTION, BUDGET_REVIEW and ESCALATED go back to. */
  readonly origin: StoryState | null
  /** Where PAUSED goes back to. */
  readonly pausedIn: StoryState | null
  /** Id of the chat message that a human is asked with. */
  readonly escalation: string | null
  /** Requests so far since the last retry, by kind. */
  readonly requests: Readonly<Record<RequestKind, number>>
  /** Questions to the architect since a human was asked because of them. */
  readonly questions: number
  /** Left out by older versions, and before the first. */
  readonly extensions?: Extensions
  /** Criteria that are not met, until a change meets all; left out by older versions. */
  readonly unmet?: Unmet
  /** Machine id of the request that is open. */
  readonly request: string | null
  readonly reviews: Readonly<Record<ReviewKind, Review>>
  readonly mergeReturns: number
  /**
   * A merge was sent back: the workspace then holds the tip and this candidate together, and the
   * next commits have both as parents.
   */
  readonly merging: {
    readonly candidate: string
    /** Paths that conflicted; no marker may be left in them. */
    readonly conflicts: readonly string[]
    /** The verification that was red; null for a conflict. */
    readonly runId: string | null
    /** What the editor is told of it. */
    readonly facts: string
  } | null
  readonly pending: PendingMove | null
}

export type Story = Machine<StoryState, StoryData, 'story'>

const noReview: Review = { returned: 0, findings: [], sha: null }

/** The data that a story starts with, also when it is retried. */
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

/**
 * The slot that a story works in; that it has one is a rule of its state, so its absence is a bug.
 */
export function slotOf({ id, state, data }: Pick<Story, 'id' | 'state' | 'data'>): string {
  if (data.slot === null) throw new Error(`story ${id} has no slot in ${state}`)
  return data.slot
}

const reviews: Partial<Record<StoryState, ReviewKind>> = {
  PLAN_REVIEW: 'plan',
  CODE_REVIEW: 'code',
  COMPLETION_REVIEW: 'completion',
}

/** The review that a state is. */
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
