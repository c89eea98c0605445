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
 * A request of any process to the owner. Commands are stored as rows, and each is applied exactly
 * once.
 */
export type Command = Given & {
  /** On a hub, the name of the token of whom it is from; left out for the user of the machine. */
  readonly by?: string
}

type Given =
  | {
      readonly kind: 'start'
      readonly run: string
      readonly request: RunRequest
      readonly target: string | null
      readonly configFile: string | null
      readonly models: RunModels | null
      /** Dollars of the Run that were named for it alone, in place of the configured ones. */
      readonly budgetUsd?: number
      /**
       * Files of the user's working tree that are no part of the work, since no commit has them;
       * the first of them, and how many.
       */
      readonly uncommitted?: { readonly count: number; readonly files: readonly string[] }
      /** Seconds that it waits for a provider that answers nobody. */
      readonly maxWaitSec?: number
      /** Left out for `normal`. */
      readonly priority?: Priority
      /** Ids of tests that may fail in it as long as they fail on the base commit as well. */
      readonly allowFailing?: readonly string[]
      /** Tests that decide about it, and that none of its agents sees. */
      readonly acceptance?: AcceptanceTests
    }
  | { readonly kind: 'cancel'; readonly run: string }
  | ({ readonly kind: 'pause'; readonly run: string } & PauseCause)
  | {
      readonly kind: 'retry'
      readonly run: string
      /** Of a spec: only this one; left out for all that was cancelled. */
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
      /** Why they may stay, in the words of the person. */
      readonly reason?: string
    }
  /**
   * What people say about a change, a batch at a time. `followUp` is the id of the Run that is to
   * work on it if this one has ended.
   */
  | {
      readonly kind: 'review'
      readonly run: string
      readonly story: string | null
      readonly remarks: readonly NewRemark[]
      readonly followUp: string
    }
  /** Without a run: all that stopped in ERROR or is PAUSED. */
  | {
      readonly kind: 'resume'
      readonly run: string | null
      readonly models: RunModels | null
      /** Stories that the infrastructure has ended stay so: what follows is about one of them. */
      readonly keepsEnded?: boolean
      readonly maxWaitSec?: number
    }
  /** A human's answer to an escalation, or to any other message of the chat. */
  | { readonly kind: 'reply'; readonly run: string; readonly message: string; readonly text: string }
  /** What a human says; `story` null means to the Run. */
  | { readonly kind: 'post'; readonly run: string; readonly story: string | null; readonly text: string }
  /**
   * More may be spent: what is raised is added to the present bounds, of which a story's hold for
   * each of its stories.
   */
  | {
      readonly kind: 'budget'
      readonly run: string
      readonly raise: { readonly runUsd: number; readonly storyUsd: number; readonly runTokens: number }
    }
  /**
   * Other stories in place of those of a plan that nobody has begun. `edit` names this edit,
   * `version` is that of the plan that its author has seen.
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
  /** `run` is the machine of a schedule. `next` is its next time, in ISO 8601. */
  | {
      readonly kind: 'schedule'
      readonly run: string
      readonly change:
        | { readonly event: 'added'; readonly data: ScheduleData }
        | { readonly event: 'resumed'; readonly next: string | null }
        | { readonly event: 'paused' | 'removed' }
    }
