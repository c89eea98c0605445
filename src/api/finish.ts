import { z } from 'zod'
import { landingStates } from '../domain/landing/landing.ts'
import { outcomeSchema } from './outcome.ts'
import { receiptLineSchema } from './receipts.ts'

/** An ISO 8601 time. */
const time = z.string()
const stop = z.object({ code: z.string(), message: z.string(), todo: z.string() })

/** A requested landing of a result, with its fate. */
export const landingSchema = z.object({
  id: z.string(),
  goal: z.enum(['onto', 'change', 'apply']),
  /** The branch for `onto`; otherwise null. */
  branch: z.string().nullable(),
  state: z.enum(landingStates),
  at: time,
  /** The Run that verifies the merge, and its outcome; null if no merge is needed. */
  verification: z.object({ run: z.string(), state: z.string(), label: z.string() }).nullable(),
  result: z
    .object({
      /** The branch's new commit and the way it got there; null for other goals. */
      sha: z.string().nullable(),
      moved: z.enum(['there', 'forward', 'merge']).nullable(),
      /** The URL of the change; null for other goals. */
      url: z.string().nullable(),
      number: z.int().nullable(),
      opened: z.boolean().nullable(),
      /**
       * The number of files of the working tree that now have their verified content; null for
       * other goals.
       */
      files: z.int().nullable(),
      /** A failed side effect; null if there is none. */
      problem: stop.nullable(),
    })
    .nullable(),
  refusal: stop
    .extend({
      /** Findings on the merge. A new request with these ids in `accept` lands it. */
      findings: z.array(z.object({ id: z.string(), file: z.string(), claim: z.string() })),
    })
    .nullable(),
})

export type Landing = z.infer<typeof landingSchema>

/** GET /api/runs/:run/finish: the result of a Run at rest, and the ways to land it. */
export const finishSchema = z.object({
  /** The Run whose branch it is; for a follow-up, the Run that it follows. */
  run: z.string(),
  branch: z.string().nullable(),
  base: z.string().nullable(),
  /** The verified commit; null if nothing was changed. */
  sha: z.string().nullable(),
  /** Files that were written into the working tree; null if that was not requested. */
  applied: z.array(z.string()).nullable(),
  stat: z
    .object({
      files: z.array(
        z.object({
          path: z.string(),
          status: z.enum(['added', 'modified', 'deleted', 'renamed']),
          /** Null for a binary file. */
          added: z.int().nullable(),
          removed: z.int().nullable(),
          test: z.boolean(),
        }),
      ),
      /** The total, including files that are not listed. */
      count: z.int(),
      added: z.int(),
      removed: z.int(),
      test_files: z.int(),
      /**
       * The increase in the number of tests over the base commit; null if they were not counted.
       */
      tests_added: z.int().nullable(),
    })
    .nullable(),
  /**
   * The receipts of each verified commit of the branch, the result first. Verified for this
   * response.
   */
  receipts: z.array(receiptLineSchema),
  /** Findings that hold the result, and accepted findings. */
  findings: z.array(
    z.object({
      id: z.string(),
      /** The Run and the story in which the finding can be accepted; `story` is null for a task. */
      run: z.string(),
      story: z.string().nullable(),
      severity: z.enum(['blocker', 'major', 'minor']),
      by: z.enum(['gate', 'person', 'reviewer']),
      file: z.string(),
      line: z.int().nullable(),
      claim: z.string(),
      evidence: z.string(),
      state: z.enum(['open', 'accepted']),
      accepted_by: z.enum(['architect', 'human']).nullable(),
      /** On a hub, the name of the person who accepted it; and the words of that person. */
      accepter: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  /** The state of the result. */
  verdict: z.object({
    title: z.string(),
    /** If a follow-up failed: the state of the Run that it follows; otherwise null. */
    of_run: z.string().nullable(),
    /** Everything that holds the result until a person decides. */
    holds: z.array(
      z.object({
        kind: z.enum(['finding', 'comment', 'follow_up']),
        /** The Run in which it can be accepted, or the follow-up itself. */
        run: z.string(),
        story: z.string().nullable(),
        /**
         * The id of the finding; null for a follow-up, and for a comment that is not yet applied.
         */
        id: z.string().nullable(),
        by: z.string(),
        place: z.string(),
        text: z.string(),
        why: z.string(),
        follow_up: z.object({ run: z.string(), state: z.string() }).nullable(),
        /** The command line that accepts the work and so ends the hold; null if there is none. */
        command: z.string().nullable(),
      }),
    ),
  }),
  /** True if a person can land it with a reason in spite of the holds. */
  anyway: z.boolean(),
  /** The Runs that have worked on remarks about it, or will; newest first. */
  follow_ups: z.array(
    z.object({
      run: z.string(),
      title: z.string(),
      state: z.string(),
      ended: z.boolean(),
      outcome: outcomeSchema,
      remarks: z.array(z.object({ id: z.string(), author: z.string(), state: z.string() })),
    }),
  ),
  /** The reason why it cannot land on a branch or in the working tree; null if it can. */
  refusal: stop.nullable(),
  /** The reason why its change cannot be opened or updated; null if it can. */
  change_refusal: stop.nullable(),
  /** The repositories to merge by hand; null for a Run with a single repository. */
  repositories: z
    .array(
      z.object({
        name: z.string(),
        path: z.string(),
        branch: z.string().nullable(),
        sha: z.string().nullable(),
        /** The command line that merges the branch. */
        command: z.string(),
      }),
    )
    .nullable(),
  /** Landings, newest first. */
  landings: z.array(landingSchema),
  /** Local branches that it can land on, the proposed one first, each with its command line. */
  branches: z.array(z.object({ name: z.string(), command: z.string() })),
  /**
   * Command lines that open a change, change the working tree, and show or restore the branch.
   * `look` is null if the commit is gone.
   */
  commands: z.object({ change: z.string(), apply: z.string(), look: z.string().nullable() }),
  /** The fate of a deleted branch; null while it exists. */
  gone: z.string().nullable(),
  /**
   * The forge of `origin`; `problem` is the reason why no change can be opened there. Null without
   * a forge.
   */
  forge: z.object({ name: z.string(), problem: stop.nullable() }).nullable(),
  /** The change with the result, as Drydock last saw it. */
  change: z.object({ number: z.int(), url: z.string(), state: z.enum(['open', 'closed', 'merged']) }).nullable(),
})

export type Finish = z.infer<typeof finishSchema>

/** A person's reason to land a result that is held; stored in the receipt. Absent otherwise. */
const anyway = z.string().trim().min(1).max(1_000).optional()

/**
 * POST /api/runs/:run/land: lands onto a local branch, as a change at the forge of `origin`, or in
 * the working tree.
 */
export const landSchema = z.discriminatedUnion('goal', [
  z.strictObject({
    goal: z.literal('onto'),
    branch: z.string().trim().min(1).max(4_096),
    /** Ids of accepted findings of the gate on the merge. */
    accept: z.array(z.string().trim().min(1).max(4_096)).max(100).default([]),
    anyway,
  }),
  z.strictObject({ goal: z.literal('change'), anyway }),
  z.strictObject({ goal: z.literal('apply'), anyway }),
])

export type Land = z.input<typeof landSchema>

export const landedSchema = z.object({
  run: z.string(),
  /** The id of the landing; `landing` events report its progress. */
  landing: z.string(),
  handed: z.enum(['applied', 'waiting', 'recorded']),
})

export type LandingResult = z.infer<typeof landedSchema>
