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
import type { PauseSignal } from './pause-cause.ts'
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
      /** An architect reviews plan and change, and answers the editor; left out for nobody. */
      readonly reviewed?: true
      /** A person approves the editor's plan before any file changes; left out if nobody has to. */
      readonly planReviewed?: true
      /** An architect writes tests that its editor does not see; left out if nobody asked. */
      readonly testsWritten?: true
      /** Ids of findings of the gate that are accepted beforehand; or `no_change`. */
      readonly accept?: readonly string[]
      /** Works on remarks about what another Run has built. */
      readonly follows?: Followed
    }
  | {
      readonly kind: 'verify'
      readonly commit: string | null
      /** Judged as a merge is: with its findings. */
      readonly asMerge?: true
      /** Judged as a change is that is handed over: also with the proof of its tests. */
      readonly asChange?: true
    }
  | { readonly kind: 'scout'; readonly scout: ScoutKind; readonly question: string }
  | SpecRequest
  | InterviewRequest

/** What a follow-up stands on, and what it is for. */
export interface Followed {
  /** The Run whose branch its commit is added to. */
  readonly run: string
  readonly branch: string
  /** The verified commit that the branch is at. */
  readonly tip: string
  /** The commit that configuration and advice come from: the base of that Run. */
  readonly base: string
  /** The remarks, by their ids as findings. */
  readonly remarks: readonly string[]
  /** Its story in the names of lanes and in replay files, such as `review-1`. */
  readonly name: string
}

export interface SpecRequest {
  readonly kind: 'spec'
  readonly spec: Spec
  /** Ends with the stories, which are its answer. */
  readonly planOnly: boolean
  /** A human approves the stories before any is started. */
  readonly reviewStories: boolean
  /** It is built even if the architect finds it too vague; missing in Runs of an older Drydock. */
  readonly asIs?: boolean
  /** Stories that are there already: then no architect splits the spec. */
  readonly stories: readonly PlannedStory[] | null
  /** Of a plan: what it was asked for with, for the Run that builds it. */
  readonly options?: KeptOptions
  /** The Run whose plan these stories are; left out for any others. */
  readonly planOf?: string
  /** Every repository of a spec that names others, its own first; left out for one alone. */
  readonly repositories?: readonly NamedRepository[]
}

/** The architect asks the user what a spec should say, and ends with the spec. */
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
  /** On a hub, the name of whom it was asked for by; left out for the user of the machine. */
  readonly startedBy?: string
  /** Left out for `normal`. */
  readonly priority?: Priority
  /**
   * Ids of tests that people let fail in this Run, as long as they fail on the base commit as well;
   * beside those of the configuration.
   */
  readonly allowFailing?: readonly string[]
  /** The public facts about its acceptance tests; left out where there are none. */
  readonly acceptance?: AcceptanceFacts
  /** A human has been asked what is to become of it though its base commit is red. */
  readonly redBaseAsked?: true
  /** A human has been asked the same about a step that names no failing test. */
  readonly redStepAsked?: true
  readonly target: string | null
  readonly configFile: string | null
  /** null for a verification. */
  readonly models: RunModels | null
  /** Dollars that were named when it was asked for, in place of the configured ones. */
  readonly budgetUsd: number | null
  /**
   * Seconds that a lane waits for its provider; missing in Runs of an older Drydock, null for the
   * usual.
   */
  readonly maxWaitSec?: number | null
  /** The coder slot that it holds from start to end; stories of a spec hold their own. */
  readonly slot: string | null
  /** The newest event when it was given its slot; left out before, and by older versions. */
  readonly turn?: number
  /** Pinned when the Run starts. */
  readonly base: string | null
  readonly config: RunConfig | null
  /** Name of the run branch, reserved when the Run starts. */
  readonly branch: string | null
  /** The run branch's tip: the base until a story is merged. */
  readonly tip: string | null
  /** The further repositories; left out for one alone. */
  readonly repositories?: readonly RunRepository[]
  /** With several repositories, once all is green: the branches, in the order of their moves. */
  readonly landing?: readonly Landing[]
  /** The commits that the tests of its base ran on when it ended; left out before. */
  readonly baseChecked?: string
  readonly interview: Interview
  /** What the architect said at the end of SCOPING. */
  readonly scoping: string | null
  /** The stories that are to be built, once they are known. */
  readonly stories: readonly PlannedStory[] | null
  /** The people who have edited these stories; left out while nobody has. */
  readonly planEditors?: readonly string[]
  /** Sets of stories that were refused since a human was asked. */
  readonly refusedPlans: number
  /** Where ESCALATED goes back to. */
  readonly origin: RunState | null
  /** Where ERROR and PAUSED go back to. */
  readonly stoppedIn: RunState | null
  /** What may be spent: what the configuration says, and what a human has added since. */
  readonly budget: Budget | null
  /** Id of the chat message that a human is asked with, in ESCALATED and AWAIT_APPROVAL. */
  readonly escalation: string | null
  /** Files that `--apply` left in the working tree. */
  readonly applied: readonly string[] | null
  readonly diff: string | null
  /**
   * The answer of a Run without a story to build: a verifier's response, a scout's report, the
   * stories, a written spec, or what a vague spec lacks.
   */
  readonly answer: Json
  readonly error: RunError | null
  /**
   * In ERROR: when it is tried again by itself. Afterwards: when it was. Missing or null when
   * nothing tries it.
   */
  readonly again?: Again | null
  /**
   * In ERROR, its slot holds work that is in no snapshot: it keeps the slot, and the workspace is
   * not touched.
   */
  readonly unkept: boolean
  /** Models that were out, the latest last; missing while none was. */
  readonly outages?: readonly Outage[]
  /** Why it stands still; null while it does not. */
  readonly rest: RunRest | null
  /** A human has ended it; its next step keeps what its stories have done. */
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

/** One that an older Drydock has started was given none. */
export function budgetOf({ data: { budget } }: Pick<Run, 'data'>): Budget {
  return budget ?? limits.budget
}

/** The states of a Run that has not ended. */
export const openRunStates: readonly RunState[] = runStates.filter((state) => !endedRunStates.includes(state))

export function isEnded(state: RunState): boolean {
  return endedRunStates.includes(state)
}

/**
 * The reason for the PAUSED of a Run: it waits for the human who paused it, or for a larger budget.
 * Null in any other state.
 */
export function pausedBy({ state, data }: Pick<Run, 'state' | 'data'>): 'user' | 'budget' | null {
  if (state !== 'PAUSED') return null
  return isHeld({ data }) ? 'user' : 'budget'
}

interface PausedResult {
  readonly paused_by: ReturnType<typeof pausedBy>
  readonly paused_signal?: PauseSignal
}

/** The same in its result, with the signal that caused it. */
export function pausedResult(run: Pick<Run, 'state' | 'data'>): PausedResult {
  const by = pausedBy(run)
  const { signal } = run.data.rest ?? {}
  return { paused_by: by, ...(by === 'user' && signal !== undefined && { paused_signal: signal }) }
}

/** Whether a human has paused it: no step of it is begun until one resumes it. */
export function isHeld({ data }: Pick<Run, 'data'>): boolean {
  return data.rest?.because === 'user'
}

/** Whether a Run can be paused by hand: some of its work is in progress, or waits for its turn. */
export function isPausable({ state, data }: Pick<Run, 'state' | 'data'>): boolean {
  return !isEnded(state) && state !== 'ERROR' && state !== 'PAUSED' && !isHeld({ data })
}

/** Whether it was said beforehand that a task may end without a change. */
export function acceptsNoChange({ data: { request } }: Pick<Run, 'data'>): boolean {
  return request.kind === 'task' && (request.accept ?? []).includes(acceptNoChange)
}

/** The configuration that it is verified with, and the failures that people allow in it alone. */
export function gateConfigOf({ data: { config, allowFailing = [] } }: Pick<Run, 'data'>): RunConfig | null {
  if (config === null || allowFailing.length === 0) return config
  return { ...config, allowFailing: [...new Set([...(config.allowFailing ?? []), ...allowFailing])] }
}

/** What it follows; null for a Run of its own. */
export function followedBy({ data: { request } }: Pick<Run, 'data'>): Followed | null {
  return request.kind === 'task' ? (request.follows ?? null) : null
}

/** Whether a base is a commit of the user that the Run began with, and not one of its agents. */
export function beganWith(run: Run, base: string): boolean {
  return base === run.data.base && followedBy(run) === null
}
