import { z } from 'zod'
import { landingStates } from '../domain/landing/landing.ts'
import { outcomeSchema } from './outcome.ts'
import { receiptLineSchema } from './receipts.ts'

/** ISO 8601. */
const time = z.string()
const stop = z.object({ code: z.string(), message: z.string(), todo: z.string() })

/** A result that was wanted somewhere, and what became of it. */
export const landingSchema = z.object({
  id: z.string(),
  goal: z.enum(['onto', 'change', 'apply']),
  /** Of `onto`; else null. */
  branch: z.string().nullable(),
  state: z.enum(landingStates),
  at: time,
  /** The Run that verifies the merge, and what it has come to; null where none is needed. */
  verification: z.object({ run: z.string(), state: z.string(), label: z.string() }).nullable(),
  result: z
    .object({
      /** Where the branch is, and how it came there; null for anything else. */
      sha: z.string().nullable(),
      moved: z.enum(['there', 'forward', 'merge']).nullable(),
      /** Of the change; null for anything else. */
      url: z.string().nullable(),
      number: z.int().nullable(),
      opened: z.boolean().nullable(),
      /** How many files of the working tree are as verified now; null for anything else. */
      files: z.int().nullable(),
      /** What did not work beside it; null where nothing is to be said. */
      problem: stop.nullable(),
    })
    .nullable(),
  refusal: stop
    .extend({
      /** Findings on the merge: with these ids in `accept` it is asked for again. */
      findings: z.array(z.object({ id: z.string(), file: z.string(), claim: z.string() })),
    })
    .nullable(),
})

export type Landing = z.infer<typeof landingSchema>

/** GET /api/runs/:run/finish: what a Run at rest has built, and the ways out. */
export const finishSchema = z.object({
  /** The Run whose branch it is: of a follow-up the one that it follows. */
  run: z.string(),
  branch: z.string().nullable(),
  base: z.string().nullable(),
  /** The verified commit; null where nothing was changed. */
  sha: z.string().nullable(),
  /** Files that were put into the working tree; null where that was not asked for. */
  applied: z.array(z.string()).nullable(),
  stat: z
    .object({
      files: z.array(
        z.object({
          path: z.string(),
          status: z.enum(['added', 'modified', 'deleted', 'renamed']),
          /** null for a binary file. */
          added: z.int().nullable(),
          removed: z.int().nullable(),
          test: z.boolean(),
        }),
      ),
      /** In all, also of files that are not listed. */
      count: z.int(),
      added: z.int(),
      removed: z.int(),
      test_files: z.int(),
      /** How many tests more ran than on the base commit; null where nobody counted them. */
      tests_added: z.int().nullable(),
    })
    .nullable(),
  /** Of each verified commit of the branch, the result first; checked for this answer. */
  receipts: z.array(receiptLineSchema),
  /** Findings that hold the result, and those that somebody took as they are. */
  findings: z.array(
    z.object({
      id: z.string(),
      /** The Run that accepts it, and its story; null for a task. */
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
  /** Where the result stands. */
  verdict: z.object({
    title: z.string(),
    /** Where a follow-up was asked for that fell short: how the Run stands that it follows. */
    of_run: z.string().nullable(),
    /** All that holds it until a person decides. */
    holds: z.array(
      z.object({
        kind: z.enum(['finding', 'comment', 'follow_up']),
        /** The Run that accepts it, or the follow-up itself. */
        run: z.string(),
        story: z.string().nullable(),
        /** As a finding; null for a follow-up, and for a comment that nobody has taken in. */
        id: z.string().nullable(),
        by: z.string(),
        place: z.string(),
        text: z.string(),
        why: z.string(),
        follow_up: z.object({ run: z.string(), state: z.string() }).nullable(),
        /** The command line that ends the hold with the result as it is; null where none does. */
        command: z.string().nullable(),
      }),
    ),
  }),
  /** True if a person can land it with a reason although others hold it. */
  anyway: z.boolean(),
  /** The Runs that have worked on remarks about it, or will, newest first. */
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
  /** Why it cannot be landed on a branch or in the working tree; null when it can. */
  refusal: stop.nullable(),
  /** Why no change can be opened for it, or brought up to date; null when one can. */
  change_refusal: stop.nullable(),
  /** What is to be merged by hand, repository by repository; null for one alone. */
  repositories: z
    .array(
      z.object({
        name: z.string(),
        path: z.string(),
        branch: z.string().nullable(),
        sha: z.string().nullable(),
        /** The command line that merges it. */
        command: z.string(),
      }),
    )
    .nullable(),
  /** Newest first. */
  landings: z.array(landingSchema),
  /** Local branches that it can land on, the proposed one first, each with its command line. */
  branches: z.array(z.object({ name: z.string(), command: z.string() })),
  /**
   * Command lines that open a change, change the working tree, and look at the branch, or get it
   * back; null where its commit is gone.
   */
  commands: z.object({ change: z.string(), apply: z.string(), look: z.string().nullable() }),
  /** What became of a branch that was deleted; null while it is there. */
  gone: z.string().nullable(),
  /** The forge of `origin`; `problem` says why nothing can be opened there. null without one. */
  forge: z.object({ name: z.string(), problem: stop.nullable() }).nullable(),
  /** The change that has the result, as Drydock saw it at last. */
  change: z.object({ number: z.int(), url: z.string(), state: z.enum(['open', 'closed', 'merged']) }).nullable(),
})

export type Finish = z.infer<typeof finishSchema>

/** Why a person lands a result that others hold; the receipt keeps it. Left out otherwise. */
const anyway = z.string().trim().min(1).max(1_000).optional()

/**
 * POST /api/runs/:run/land: onto a local branch, as a change at the forge of `origin`, or into the
 * working tree.
 */
export const landSchema = z.discriminatedUnion('goal', [
  z.strictObject({
    goal: z.literal('onto'),
    branch: z.string().trim().min(1).max(4_096),
    /** Ids of findings of the gate on the merge that are taken as they are. */
    accept: z.array(z.string().trim().min(1).max(4_096)).max(100).default([]),
    anyway,
  }),
  z.strictObject({ goal: z.literal('change'), anyway }),
  z.strictObject({ goal: z.literal('apply'), anyway }),
])

export type Land = z.input<typeof landSchema>

export const landedSchema = z.object({
  run: z.string(),
  /** Id of the landing; the event `landing` tells how it goes on. */
  landing: z.string(),
  handed: z.enum(['applied', 'waiting', 'recorded']),
})

export type LandingResult = z.infer<typeof landedSchema>
