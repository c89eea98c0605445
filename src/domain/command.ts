import type { AcceptanceTests } from './acceptance/acceptance-tests.ts'
import type { TestsDecision } from './acceptance/tests-decision.ts'
import type { Anyway, LandingGoal } from './landing/landing.ts'
import type { NewRemark } from './remark/remark.ts'
import type { PauseCause } from './run/pause-cause.ts'
import type { RunRequest } from './run/run.ts'
import type { RunModels } from './run/run-models.ts'
import type { ScheduleData } from './schedule/schedule.ts'
import type { Priority } from './share/priority.ts'
import type { PlannedStory } from './story/planned-story.ts'

/**
 * A request from any process to the owner. Commands are stored as rows, and each is applied exactly
 * once.
 */
export type Command = CommandFields & {
  /** On a hub, the name of the sender's token; left out for the user of the machine. */
  readonly by?: string
}

type CommandFields =
  | {
      readonly kind: 'start'
      readonly run: string
      readonly request: RunRequest
      readonly target: string | null
      readonly configFile: string | null
      readonly models: RunModels | null
      /** A budget in dollars that was named for this Run alone, instead of the configured one. */
      readonly budgetUsd?: number
      /**
       * Files of the user's working tree that are not part of the work, since they are not
       * committed; the first of them, and their number.
       */
      readonly uncommitted?: { readonly count: number; readonly files: readonly string[] }
      /** Seconds that the Run waits for a provider that does not answer. */
      readonly maxWaitSec?: number
      /** Absent for the priority `normal`. */
      readonly priority?: Priority
      /** Ids of tests that may fail as long as they fail on the base commit as well. */
      readonly allowFailing?: readonly string[]
      /** Tests that decide about the Run, and that none of its agents sees. */
      readonly acceptance?: AcceptanceTests
    }
  | {
      readonly kind: 'cancel'
      readonly run: string
      /** A person's words, for the chat of the Run. */
      readonly reason?: string
    }
  | ({ readonly kind: 'pause'; readonly run: string } & PauseCause)
  | {
      readonly kind: 'retry'
      readonly run: string
      /** The one story of a spec to retry; left out for everything that was cancelled. */
      readonly story?: string | null
      readonly guidance: string | null
      readonly models: RunModels | null
      readonly maxWaitSec?: number
    }
  /**
   * A human takes findings on a story as they are. `story` is left out for a task, and by older
   * versions.
   */
  | {
      readonly kind: 'accept'
      readonly run: string
      readonly story?: string
      readonly findings: readonly string[]
      /** The words of the person, which the receipt keeps. */
      readonly reason?: string
    }
  /**
   * A batch of remarks about a change. `followUp` is the id of the Run that works on them if this
   * one has ended.
   */
  | {
      readonly kind: 'review'
      readonly run: string
      readonly story: string | null
      readonly remarks: readonly NewRemark[]
      readonly followUp: string
    }
  /** Without a run, resumes every Run that stopped in ERROR or is PAUSED. */
  | {
      readonly kind: 'resume'
      readonly run: string | null
      readonly models: RunModels | null
      /**
       * True if stories that the infrastructure has ended stay ended, because a later command is
       * about one of them.
       */
      readonly keepsEnded?: boolean
      readonly maxWaitSec?: number
    }
  /** A human's answer to an escalation, or to any other message of the chat. */
  | { readonly kind: 'reply'; readonly run: string; readonly message: string; readonly text: string }
  /** A question is for one person of a hub; null for everybody. */
  | { readonly kind: 'assign'; readonly run: string; readonly message: string; readonly to: string | null }
  /** A message from a human; `story` null addresses the Run. */
  | { readonly kind: 'post'; readonly run: string; readonly story: string | null; readonly text: string }
  /**
   * Raises the budget: the amounts are added to the present bounds. A story's bound holds for each
   * of its stories.
   */
  | {
      readonly kind: 'budget'
      readonly run: string
      readonly raise: { readonly runUsd: number; readonly storyUsd: number; readonly runTokens: number }
    }
  /**
   * Replaces the stories of a plan that has not begun. `edit` names this edit, `version` is that of
   * the plan that its author has seen.
   */
  | {
      readonly kind: 'plan'
      readonly run: string
      readonly edit: string
      readonly author: string
      readonly version: string
      readonly stories: readonly PlannedStory[]
    }
  /** A person decides about the acceptance tests of a story. `author` is the person's name. */
  | ({
      readonly kind: 'acceptance'
      readonly run: string
      readonly story: string
      readonly author: string
    } & TestsDecision)
  /** `landing` is the id of its machine. `at`: when a person asked, in ISO 8601. */
  | {
      readonly kind: 'land'
      readonly run: string
      readonly landing: string
      readonly goal: LandingGoal
      readonly at: string
      readonly anyway?: Anyway
    }
  /** `run` is the machine of a schedule. `next` is its next due time, in ISO 8601. */
  | {
      readonly kind: 'schedule'
      readonly run: string
      readonly change:
        | { readonly event: 'added'; readonly data: ScheduleData }
        | { readonly event: 'resumed'; readonly next: string | null }
        | { readonly event: 'paused'; readonly person?: string }
        | { readonly event: 'removed' }
    }
