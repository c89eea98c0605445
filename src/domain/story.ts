import type { Failures } from './failures.ts'
import type { LaneStop } from './lane.ts'
import type { Machine } from './machine.ts'
import type { Plan } from './plan.ts'
import type { ScoutKind } from './scout-report.ts'
import type { StoryState } from './story-machine.ts'
import type { Task } from './task.ts'
import type { InfraError, Verdict } from './verdict.ts'

/** One verification of a story, as its history keeps it. */
export interface Attempt {
  readonly runId: string
  readonly status: Verdict['status']
  readonly sha: string
}

/** What an editor handed in last. */
export interface Change {
  readonly summary: string
  readonly nextSlice: string | null
}

export interface ChangeSummary {
  readonly text: string
  readonly files: readonly string[]
  /** Changed though the plan does not name them. */
  readonly outsidePlan: readonly string[]
  /** What a reviewer must know of, one sentence each. */
  readonly findings: readonly string[]
  readonly tests: readonly string[]
}

export interface StoryData {
  /** As lanes and replay files name it: `task`, after a retry `task@2`. */
  readonly name: string
  readonly task: Task
  readonly dryRun: boolean
  /** The commit it starts from, the tip of the run branch. */
  readonly base: string
  readonly slot: string
  readonly retries: number
  /** PLANNING lanes opened since the last retry. */
  readonly planning: number
  readonly failures: Failures
  readonly plans: readonly Plan[]
  readonly hypotheses: readonly string[]
  readonly attempts: readonly Attempt[]
  readonly queries: Readonly<Record<ScoutKind, number>>
  readonly contextFiles: number
  readonly snapshots: number
  readonly snapshot: { readonly sha: string; readonly tree: string } | null
  /** Machine id of the lane that works now. */
  readonly lane: string | null
  readonly change: Change | null
  readonly summary: ChangeSummary | null
  readonly stuckReport: string | null
  readonly guidance: string | null
  /** Why it ended without DONE. */
  readonly stop:
    | { readonly reason: LaneStop | 'hard_stop'; readonly last?: string | null }
    | { readonly infra: InfraError }
    | null
}

export type Story = Machine<StoryState, StoryData>

export function newStory(input: Pick<StoryData, 'name' | 'task' | 'dryRun' | 'base' | 'slot'>): StoryData {
  return {
    ...input,
    retries: 0,
    planning: 0,
    failures: { consecutive: 0, loops: 0 },
    plans: [],
    hypotheses: [],
    attempts: [],
    queries: { codebase: 0, build: 0 },
    contextFiles: 0,
    snapshots: 0,
    snapshot: null,
    lane: null,
    change: null,
    summary: null,
    stuckReport: null,
    guidance: null,
    stop: null,
  }
}
