import type { GuideTexts } from '../../agents/prompts/guide-section.ts'
import type { HandedOver, InputOf } from '../../agents/tools/handed-over.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ReviewVerdict } from '../../domain/gate/finding.ts'
import type { Json } from '../../domain/json.ts'
import type { Lane, LaneData } from '../../domain/lane/lane.ts'
import type { ToolCall } from '../../domain/lane/message.ts'
import type { EventOf } from '../../domain/machines.ts'
import type { Merge, MergeData } from '../../domain/merge/merge.ts'
import type { Request } from '../../domain/request/request.ts'
import type { Outage } from '../../domain/run/fallback.ts'
import type { Run, RunData } from '../../domain/run/run.ts'
import type { RunEvent } from '../../domain/run/run-machine.ts'
import type { ScoutQuery, ScoutQueryData } from '../../domain/scout/scout-query.ts'
import type { PlannedStory } from '../../domain/story/planned-story.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import type { VerificationData } from '../../domain/verification/verification.ts'
import type { ContextFile } from '../../ports/rows.ts'
import type { AcceptanceMove } from '../architect/acceptance/move-acceptance.ts'
import type { Question } from '../chat/ask-human.ts'
import type { ReturnReason } from '../merge/merge-queue.ts'
import type { Parking } from '../rest/park-run.ts'
import type { StoryMove } from '../story/move-story.ts'
import type { LaneAnswer } from './answer-lane.ts'

/** The acts that a step can decide on, by name, each with its parameters as plain data. */
export interface Acts {
  answer_lane: { readonly answer: LaneAnswer }
  end_lane: { readonly lane: string }
  /** Ends a lane after too many refusals; other lanes then review it. */
  stop_lane: { readonly lane: string }
  edit_lane: { readonly lane: string; readonly data: Partial<LaneData> }
  /** A call that Drydock makes for an editor that only talks. */
  hand_in_for: { readonly lane: string; readonly call: ToolCall }
  /** Also does all that follows for others (`advanceStory`). */
  advance_story: { readonly story: Story; readonly move: StoryMove }
  /** The tree of the change has a verdict already, and the story moves by it at once. */
  submit_known: { readonly story: Story; readonly move: StoryMove }
  edit_story: { readonly story: Story; readonly data: Partial<StoryData> }
  keep_file: { readonly file: ContextFile }
  post_message: { readonly lane: Lane; readonly input: InputOf<'post_message'> }
  /** Asks a human about a request of the architect, or about its Run. */
  escalate_request: { readonly request: Request; readonly question: Question }
  escalate_run: { readonly run: string; readonly question: Question }
  /** Repeats the request in a new lane that starts with `text`. */
  ask_anew: { readonly request: Request; readonly lane: Lane; readonly text: string }
  answer_request: {
    readonly request: Request
    readonly verdict: ReviewVerdict | null
    readonly response: string
  }
  /** Moves the hidden acceptance tests. */
  move_acceptance: AcceptanceMove
  /** Records that some tests are dropped or stand; their state does not change. */
  edit_acceptance: Pick<AcceptanceMove, 'acceptance' | 'data' | 'tests'>
  /** Asks the user a round of interview questions. */
  ask_user: { readonly run: string; readonly lane: string; readonly questions: InputOf<'ask_user'>['questions'] }
  open_stories: {
    readonly run: string
    readonly scoping: string
    readonly guide: GuideTexts | null
    readonly maxCoders: number
  }
  refuse_stories: { readonly run: string; readonly lane: string; readonly problems: readonly string[] }
  /** Asks a human to approve the stories first. */
  show_stories: { readonly run: string; readonly stories: readonly PlannedStory[] }
  start_stories: { readonly run: string; readonly stories: readonly PlannedStory[] }
  open_query: { readonly run: string; readonly story: string | null; readonly data: ScoutQueryData }
  move_query: {
    readonly query: ScoutQuery
    readonly event: EventOf<ScoutQuery>
    readonly data?: Partial<ScoutQueryData>
    /** Pause before the query's next step; without it the query waits for its lane. */
    readonly pauseMs?: number
  }
  answer_run: { readonly run: string; readonly answer: Json }
  /** Ends the Run because its architect said so. */
  end_run: { readonly run: string; readonly event: RunEvent; readonly data: Partial<RunData> }
  park_run: Parking
  /** Records that the human was asked about a red base, which happens once in a Run. */
  note_asked: { readonly run: Pick<Run, 'id' | 'version'>; readonly asked: 'redBaseAsked' | 'redStepAsked' }
  /** Records that a model answers again, or has an outage. `at` is ISO 8601. */
  note_model: {
    readonly run: string
    readonly model: string
    readonly at: string
    readonly outage: Pick<Outage, 'by' | 'reason'> | null
  }
  move_merge: {
    readonly merge: Merge
    readonly event: EventOf<Merge>
    readonly data?: Partial<MergeData>
    readonly why?: ReturnReason
  }
  /** Verifies a merged commit with its acceptance tests; `plain` is the commit without them. */
  verify_added: {
    readonly merge: Merge
    readonly plain: NonNullable<MergeData['plain']>
    readonly verification: VerificationData
  }
  /** Makes a story's merged commit the tip of the run branch. */
  move_tip: { readonly run: string; readonly story: Story; readonly sha: string; readonly branch: string }
  settle_remarks: { readonly story: Story; readonly commit: string }
  tell: { readonly event: NewEvent }
}

export type Act<Type extends keyof Acts = keyof Acts> = {
  readonly [Each in Type]: { readonly type: Each } & Acts[Each]
}[Type]

/** The call in which a lane waits for the workflow's answer. */
export interface LaneCall<Tool extends HandedOver['tool']> {
  readonly run: Run
  readonly lane: Lane
  readonly input: InputOf<Tool>
}

/**
 * Acts that are committed together with a step, in this order, only by `applyDecision`. Slow work
 * was done before.
 */
export type Decision = readonly Act[]

/** The act that stores a context file, if there is one. */
export function keptFile(file: ContextFile | null | undefined): Decision {
  return file ? [{ type: 'keep_file', file }] : []
}
