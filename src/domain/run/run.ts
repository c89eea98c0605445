import type { AcceptanceFacts } from '../acceptance/acceptance-tests.ts'
import { acceptNoChange } from '../claim.ts'
import type { ErrorCode } from '../drydock-error.ts'
import type { Json } from '../json.ts'
import { limits } from '../limits.ts'
import type { Machine } from '../machine.ts'
import type { RunRest } from '../rest.ts'
import type { ScoutKind } from '../scout/scout-report.ts'
import type { Priority } from '../share/priority.ts'
import type { PlannedStory } from '../story/planned-story.ts'
import type { Again } from './again.ts'
import type { Budget } from './budget.ts'
import type { Outage } from './fallback.ts'
import { type Interview, notBegun } from './interview.ts'
import type { KeptOptions } from './kept-options.ts'
import type { Landing, NamedRepository, RunRepository } from './repository.ts'
import type { RunConfig } from './run-config.ts'
import { endedRunStates, type RunState, runStates } from './run-machine.ts'
import type { RunModels } from './run-models.ts'
import { policyFor, type RunPolicy } from './run-policy.ts'
import type { Spec } from './spec.ts'
import type { Task } from './task.ts'

/** The request that a Run works on. `commit` null means the user's working tree. */
export type RunRequest =
  | {
      readonly kind: 'task'
      readonly task: Task
      readonly dryRun: boolean
      readonly apply: boolean
      /** True if an architect reviews plan and change, and answers the editor; else absent. */
      readonly reviewed?: true
      /** True if a person approves the plan before any file changes; else absent. */
      readonly planReviewed?: true
      /** True if an architect writes tests that the editor does not see; absent by default. */
      readonly testsWritten?: true
      /** Ids of the gate's findings that are accepted in advance; or `no_change`. */
      readonly accept?: readonly string[]
      /** Set for work on remarks about the result of another Run. */
      readonly follows?: FollowUp
    }
  | {
      readonly kind: 'verify'
      readonly commit: string | null
      /** True if the verification judges a merge: findings count. */
      readonly asMerge?: true
      /** True if it judges a handed-over change: findings and the proof of tests count. */
      readonly asChange?: true
    }
  | { readonly kind: 'scout'; readonly scout: ScoutKind; readonly question: string }
  | SpecRequest
  | InterviewRequest

/** The basis and the purpose of a follow-up. */
export interface FollowUp {
  /** The Run whose branch gets the follow-up's commit. */
  readonly run: string
  readonly branch: string
  /** The verified commit at the tip of that branch. */
  readonly tip: string
  /** The commit with the configuration and advice: the base of that Run. */
  readonly base: string
  /** The remarks, by their ids as findings. */
  readonly remarks: readonly string[]
  /** The follow-up's story in names of lanes and in replay files, such as `review-1`. */
  readonly name: string
}

export interface SpecRequest {
  readonly kind: 'spec'
  readonly spec: Spec
  /** True if the Run ends with the stories, which are its answer. */
  readonly planOnly: boolean
  /** True if a human approves the stories before any is started. */
  readonly reviewStories: boolean
  /** True if the spec is built even if it is too vague; missing in Runs of an older Drydock. */
  readonly asIs?: boolean
  /** Existing stories: then no architect splits the spec. */
  readonly stories: readonly PlannedStory[] | null
  /** For a plan, the options of its command, for the Run that builds the plan. */
  readonly options?: KeptOptions
  /** The Run that planned these stories; left out for any others. */
  readonly planOf?: string
  /** Every repository of a spec over several, its own first; left out for a single one. */
  readonly repositories?: readonly NamedRepository[]
}

/** An interview: the architect asks the user about a spec, and ends with the spec. */
export interface InterviewRequest {
  readonly kind: 'interview'
  /** The user's own words: a sentence, or a spec that was too vague. */
  readonly spec: Spec
  /** The file for the spec, as an absolute path; null when none was named. */
  readonly file: string | null
}

/** The reason why a Run stopped in ERROR, for people. */
export interface RunError {
  readonly code: ErrorCode
  readonly message: string
  readonly todo: string
}

export interface RunData {
  readonly request: RunRequest
  readonly policy: RunPolicy
  /** On a hub, the name of the person who started the Run; left out for the user of the machine. */
  readonly startedBy?: string
  /** Absent for the priority `normal`. */
  readonly priority?: Priority
  /**
   * Ids of tests that people allow to fail in this Run as long as they fail on the base commit as
   * well; in addition to the configured ones.
   */
  readonly allowFailing?: readonly string[]
  /** The public facts about the Run's acceptance tests; left out where there are none. */
  readonly acceptance?: AcceptanceFacts
  /** True if a human has been asked about the red base commit. */
  readonly redBaseAsked?: true
  /** True if a human has been asked about a step without a failing test, red on the base, too. */
  readonly redStepAsked?: true
  readonly target: string | null
  readonly configFile: string | null
  /** Null for a verification. */
  readonly models: RunModels | null
  /** Dollars set for this Run in place of the configured ones. */
  readonly budgetUsd: number | null
  /**
   * Seconds that a lane waits for its provider; missing in Runs of an older Drydock, null for the
   * default.
   */
  readonly maxWaitSec?: number | null
  /** The coder slot that the Run holds from start to end; stories of a spec hold their own. */
  readonly slot: string | null
  /** The newest event when the Run got its slot; left out before, and by older versions. */
  readonly turn?: number
  /** Pinned when the Run starts. */
  readonly base: string | null
  readonly config: RunConfig | null
  /** Name of the run branch, reserved when the Run starts. */
  readonly branch: string | null
  /** The run branch's tip: the base until a story is merged. */
  readonly tip: string | null
  /** The further repositories; left out for a Run over one. */
  readonly repositories?: readonly RunRepository[]
  /** With several repositories, once all is green: the branches to move, in order. */
  readonly landing?: readonly Landing[]
  /** The tip on which the base's tests ran at the end; absent until then. */
  readonly baseChecked?: string
  readonly interview: Interview
  /** The architect's words at the end of SCOPING. */
  readonly scoping: string | null
  /** The stories to build, once they are known. */
  readonly stories: readonly PlannedStory[] | null
  /** The people who have edited these stories; left out without any. */
  readonly planEditors?: readonly string[]
  /** Refused sets of stories since the last question to a human. */
  readonly refusedPlans: number
  /** The state to return to from ESCALATED. */
  readonly origin: RunState | null
  /** The state to return to from ERROR and PAUSED. */
  readonly stoppedIn: RunState | null
  /** The bounds of spending: the configured ones, and the raises by a human since. */
  readonly budget: Budget | null
  /** Id of the chat message to a human, in ESCALATED and AWAIT_APPROVAL. */
  readonly escalation: string | null
  /** Files that `--apply` left in the working tree. */
  readonly applied: readonly string[] | null
  readonly diff: string | null
  /**
   * The answer of a Run without a story to build: a verifier's response, a scout's report, the
   * stories, a written spec, or the gaps of a vague spec.
   */
  readonly answer: Json
  readonly error: RunError | null
  /**
   * In ERROR, the time of the automatic retry; afterwards, of the last one. Missing or null without
   * one.
   */
  readonly again?: Again | null
  /**
   * In ERROR, the slot holds work that is not in any snapshot: the Run keeps the slot, and the
   * workspace stays untouched.
   */
  readonly unkept: boolean
  /** Models that were out, the latest last; missing before the first outage. */
  readonly outages?: readonly Outage[]
  /** The reason why the Run stands still; null while it does not. */
  readonly rest: RunRest | null
  /** True if a human has ended the Run; the next step keeps the work of its stories. */
  readonly stopped: boolean
}

export type Run = Machine<RunState, RunData, 'run'>

export function newRun(
  given: Pick<
    RunData,
    | 'request'
    | 'target'
    | 'configFile'
    | 'models'
    | 'budgetUsd'
    | 'maxWaitSec'
    | 'startedBy'
    | 'priority'
    | 'allowFailing'
    | 'acceptance'
  >,
): RunData {
  return {
    ...given,
    policy: policyFor(given.request),
    slot: null,
    base: null,
    config: null,
    branch: null,
    tip: null,
    interview: notBegun,
    scoping: null,
    stories: null,
    refusedPlans: 0,
    origin: null,
    stoppedIn: null,
    budget: null,
    escalation: null,
    applied: null,
    diff: null,
    answer: null,
    error: null,
    unkept: false,
    rest: null,
    stopped: false,
  }
}

/** A Run started by an older Drydock has no budget. */
export function budgetOf({ data: { budget } }: Pick<Run, 'data'>): Budget {
  return budget ?? limits.budget
}

/** The states of a Run that has not ended. */
export const openRunStates: readonly RunState[] = runStates.filter((state) => !endedRunStates.includes(state))

export function isEnded(state: RunState): boolean {
  return endedRunStates.includes(state)
}

/**
 * The cause of PAUSED: the Run waits for the human who paused it, or for a larger budget. Null in
 * any other state.
 */
export function pausedBy({ state, data }: Pick<Run, 'state' | 'data'>): 'user' | 'budget' | null {
  if (state !== 'PAUSED') return null
  return isHeld({ data }) ? 'user' : 'budget'
}

/** True if a human has paused the Run: no step begins until a human resumes it. */
export function isHeld({ data }: Pick<Run, 'data'>): boolean {
  return data.rest?.because === 'user'
}

/** True if a Run can be paused by hand: some of its work is in progress, or waits for its turn. */
export function isPausable({ state, data }: Pick<Run, 'state' | 'data'>): boolean {
  return !isEnded(state) && state !== 'ERROR' && state !== 'PAUSED' && !isHeld({ data })
}

/** True if the request accepts a task that ends without a change. */
export function acceptsNoChange({ data: { request } }: Pick<Run, 'data'>): boolean {
  return request.kind === 'task' && (request.accept ?? []).includes(acceptNoChange)
}

/** The configuration for verifications, with the failures that people allow in this Run. */
export function gateConfigOf({ data: { config, allowFailing = [] } }: Pick<Run, 'data'>): RunConfig | null {
  if (config === null || allowFailing.length === 0) return config
  return { ...config, allowFailing: [...new Set([...(config.allowFailing ?? []), ...allowFailing])] }
}

/** The followed Run; null for an independent Run. */
export function followedBy({ data: { request } }: Pick<Run, 'data'>): FollowUp | null {
  return request.kind === 'task' ? (request.follows ?? null) : null
}

/** True if a base is the user's commit that the Run began with, and not one of its agents. */
export function beganWith(run: Run, base: string): boolean {
  return base === run.data.base && followedBy(run) === null
}
