import type { AcceptanceState } from './acceptance/acceptance.ts'
import type { Acceptance } from './acceptance/acceptance-tests.ts'
import type { Criterion } from './acceptance/criteria.ts'
import type { ReviewVerdict, Severity } from './gate/finding.ts'
import type { LandingGoal, LandingState } from './landing/landing.ts'
import type { LaneState } from './lane/lane.ts'
import type { MergeState } from './merge/merge.ts'
import type { Progress } from './progress.ts'
import type { RemarkState } from './remark/remark.ts'
import type { RequestKind, RequestState } from './request/request.ts'
import type { Budget, Cap, ReachedBound } from './run/budget.ts'
import type { PauseCause, PausedBy, PauseSignal } from './run/pause-cause.ts'
import type { Result } from './run/result.ts'
import type { RunError, RunRequest } from './run/run.ts'
import type { RunEvent, RunState } from './run/run-machine.ts'
import type { ScoutQueryState } from './scout/scout-query.ts'
import type { ScoutKind } from './scout/scout-report.ts'
import type { StoryEvent, StoryState } from './story/story-machine.ts'
import type { TestCounts } from './verification/tests-seen.ts'
import type { InfraErrorType, Verdict } from './verification/verdict.ts'

/**
 * The data of each type of event. An optional field may be missing in events of older versions, or
 * for the reason that its comment gives.
 */
export interface EventData {
  /** A run was stored. */
  run: { readonly kind: RunRequest['kind']; readonly title: string }
  /** A run moved. A start adds `base`, `branch` and `slot`; a pause adds its cause. */
  run_state: {
    readonly from: RunState
    readonly event: RunEvent
    readonly to: RunState
    readonly base?: string
    readonly branch?: string | null
    readonly slot?: string
    readonly by?: PausedBy
    readonly caps?: readonly Cap[]
    readonly signal?: PauseSignal
    readonly person?: string
  }
  /** A story moved. A pause adds its cause. */
  state: { readonly from: StoryState; readonly event: StoryEvent; readonly to: StoryState; readonly by?: PausedBy }
  /** A spec was split into stories. */
  stories: { readonly count: number; readonly ids: readonly string[] }
  /** A person edited the stories before they began; nothing changed if `outdated` or `refused`. */
  plan_edit: {
    readonly edit: string
    readonly by: string
    readonly outcome: 'edited' | 'outdated' | 'refused'
    readonly added: readonly string[]
    readonly changed: readonly string[]
    readonly dropped: readonly string[]
    readonly problems: readonly string[]
  }
  /** A conversation with a model was opened. */
  lane: { readonly lane: string; readonly state: LaneState }
  /** A model answered or failed. `cost_usd` is null without a price; `estimated`: without usage. */
  model_call: {
    readonly lane: string
    readonly turn: number
    readonly stop: string
    readonly error: string | null
    readonly tokens: number | null
    readonly cost_usd?: number | null
    readonly estimated?: true
  }
  /** A model was tried before its first use. `context_tokens` is null if the server tells none. */
  model_tried: {
    readonly lane: string
    readonly model: string
    readonly calls: 'yes' | 'forced' | 'unknown'
    readonly reports_usage: boolean | null
    readonly ends_stream: boolean
    readonly context_tokens: number | null
  }
  /** The text sent to a model was cut. `before` and `after` are estimated tokens. */
  context_cut: {
    readonly lane: string
    readonly stage: 'shortened' | 'summarized'
    readonly before: number
    readonly after: number
  }
  /** A tool call ended, at place `index` of its turn, or `observed` if a foreign agent says so. */
  tool: {
    readonly lane: string
    readonly turn: number
    readonly index?: number
    readonly tool: string
    readonly ok: boolean | null
    readonly observed?: number
  }
  /** A foreign agent was started for a turn. `loaded`: the agent continues its earlier session. */
  agent_session: {
    readonly lane: string
    readonly agent: string
    readonly version: string | null
    readonly turn: number
    readonly session: string
    readonly loaded: boolean
    readonly credentials?: readonly string[]
  }
  /** A message of a foreign agent, as observed and shortened. */
  agent_update: {
    readonly lane: string
    readonly agent: string
    readonly kind: 'said' | 'thought' | 'plan' | 'permission' | 'refused'
    readonly text: string
  }
  /** A turn of a foreign agent failed. The turn is retried, up to a number of `tries` in a row. */
  agent_failed: {
    readonly lane: string
    readonly agent: string
    readonly kind: string
    readonly message: string
    readonly tries: number
  }
  /** An MCP server has other tools than the approved ones, so that no agent has them any more. */
  mcp_withdrawn: { readonly server: string; readonly approved: string; readonly found: string }
  /** A verification ended. */
  verification: {
    readonly run_id: string
    readonly status: Verdict['status']
    readonly tests?: TestCounts
    readonly flaky?: readonly string[]
    readonly pre_existing?: readonly string[]
    readonly also_on_base?: 'tests' | 'step'
    readonly acceptance?: Acceptance['status']
    readonly error_type?: InfraErrorType
  }
  /** The base commit of a run is red; or allowed tests do not fail there (`refused`). */
  base_verdict: {
    readonly commit: string
    readonly status: 'PASS' | 'FAIL'
    /** The first tests that fail without being allowed to, and their total number. */
    readonly failing: readonly string[]
    readonly count: number
    /** Steps that fail without naming a failing test. */
    readonly steps: readonly string[]
    readonly refused: readonly string[]
  }
  /** A review ended. */
  review: {
    readonly kind: RequestKind
    readonly round: number
    readonly verdict: ReviewVerdict | null
    /** The number of open findings. */
    readonly open: number
    readonly findings: readonly {
      readonly id: string
      readonly severity: Severity
      readonly file: string
      readonly line: number | null
      readonly claim: string
    }[]
  }
  /** The hidden tests of a story moved on; the event reveals nothing of their content. */
  acceptance: {
    readonly state: AcceptanceState
    readonly criteria: readonly Pick<Criterion, 'id' | 'state' | 'confirmed'>[]
  }
  /** A request to the architect was opened or moved. */
  request: {
    readonly kind: RequestKind
    readonly round: number
    readonly state: RequestState
    readonly verdict?: ReviewVerdict
  }
  /** A scout was asked, or one of its tries ended. */
  scout: {
    readonly scout: ScoutKind
    readonly query: number
    readonly try?: number
    readonly state: ScoutQueryState
  }
  /** A human accepted these findings, by id. */
  accepted: { readonly findings: readonly string[] }
  /** A remark about the change was stored, or moved. */
  remark: {
    /** The remark's id as a finding. */
    readonly id: string
    readonly key: string
    readonly author: string
    readonly state: RemarkState
    /** The verified commit that settles it. */
    readonly commit: string | null
    readonly reply: string | null
  }
  /** The repository asks for more editors at once than the user's own limit allows. */
  fewer_coders: { readonly asked: number; readonly allowed: number; readonly source: string }
  /** A merge moved. */
  merge: {
    readonly state: MergeState
    readonly sha?: string
    readonly conflicts?: readonly string[]
    readonly findings?: readonly string[]
  }
  /** A run over several repositories moved its branch in one of them, by name. */
  landed: { readonly repository: string; readonly branch: string; readonly sha: string }
  /** A landing was asked for, or moved. `verification` is a run; `code` says why it was refused. */
  landing: {
    readonly id: string
    readonly goal: LandingGoal['kind']
    readonly branch?: string
    readonly state: LandingState
    readonly verification?: string
    readonly sha?: string
    readonly url?: string
    readonly code?: string
  }
  /** A message was posted. */
  chat: { readonly id: string; readonly agent_id: string; readonly reply_to?: string }
  /** A human is asked. `id` is the id of the message. */
  escalation: {
    readonly id: string
    readonly question: string
    readonly evidence: string
    /** For a question of an interview: suggested answers, and the number of the recommended one. */
    readonly options?: readonly string[]
    readonly recommended?: number
    /** For a question about a review: the ids of the findings that hold the story. */
    readonly findings?: readonly string[]
  }
  /** A human answered, in `message`: by the reply of this key; null for accepting or editing. */
  escalation_answered: {
    readonly id: string
    readonly answer: string
    readonly reply?: string | null
    readonly message?: string
  }
  /** A question is for one person of a hub; null for everybody. `id` is the id of its message. */
  escalation_assigned: { readonly id: string; readonly to: string | null }
  /** A hook of the user could not be notified. Drydock does not retry. */
  notification_failed: {
    readonly id: string
    readonly about: 'escalation' | 'assigned' | 'paused' | 'ended' | 'test'
    readonly message: string | null
    readonly notifier: string
    readonly error: string
    readonly tries: number
  }
  /** A budget is reached, or the run was paused: by a person, or by a signal to its process. */
  paused: ({ readonly reason: 'budget' } & ReachedBound) | ({ readonly reason: 'user' } & PauseCause)
  /** A provider does not answer, so the lane waits; or a step waits for space on the disk. */
  suspended: {
    readonly lane: string
    readonly reason: string
    readonly until: string
    readonly since?: string
    readonly because?: 'disk'
  }
  /** A model is out, so the next one of its role takes over, here and in new conversations. */
  model_replaced: { readonly lane: string; readonly from: string; readonly to: string; readonly reason: string }
  /** The provider answers again, or the disk has space again. */
  resumed: { readonly lane: string; readonly because?: 'disk' }
  /** The bounds after a raise. */
  budget: Budget
  /** The prices of these models are unknown, so only tokens limit the run. */
  unpriced: { readonly models: readonly string[]; readonly run_tokens: number }
  /** The user's working tree has uncommitted files: their number, and the first of them. */
  uncommitted: { readonly count: number; readonly files: readonly string[] }
  /** A step of `prepare` starts. */
  prepare: { readonly step: string; readonly command: string }
  /** Git has worked on a large repository for longer than a second: its step and its progress. */
  git_progress: Progress
  /** A process ended without keeping a snapshot of a workspace. The workspace stays as it is. */
  unkept: { readonly reason: string }
  /** The host of a workspace has left or is lost; its story continues elsewhere from a snapshot. */
  workspace_moved: { readonly from: string; readonly lost: boolean; readonly snapshot: string | null }
  /** The run stopped in ERROR. */
  error: RunError
  /** The run came to rest. */
  result: Result
}

export type EventType = keyof EventData

/** An event to store. */
export type NewEvent = {
  readonly [Type in EventType]: {
    readonly run: string
    readonly story: string | null
    readonly type: Type
    readonly data: EventData[Type]
    /** On a hub, the name of the sender of the command that caused the event. */
    readonly actor?: string
  }
}[EventType]

/** One entry of a Run's append-only log. Ids grow. `at` is ISO 8601. */
export type Event = NewEvent & { readonly id: number; readonly at: string }

export type EventOfType<Type extends EventType> = Extract<Event, { readonly type: Type }>

/** A run or a story moved. */
export type MoveEvent = EventOfType<'run_state' | 'state'>
