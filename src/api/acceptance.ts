import { z } from 'zod'
import { acceptanceStates } from '../domain/acceptance/acceptance.ts'
import { criterionWords } from '../domain/acceptance/shown-criteria.ts'
import { limits } from '../domain/limits.ts'
import { storyStates } from '../domain/story/story-machine.ts'

const { criteria, testsOfCriterion, lineChars } = limits.writtenTests
const ids = z.array(z.string().regex(/^C\d{1,9}$/, 'must be the id of a criterion, such as C1')).max(criteria)
const name = z.string().trim().min(1).max(lineChars)
const file = z.object({ path: z.string(), content: z.string().describe('base64') })

export const shownCriterionSchema = z.object({
  id: z.string(),
  text: z.string(),
  word: z.enum(criterionWords),
  /** The reason why its test was removed or replaced; null if none was given. */
  why: z.string().nullable(),
  /** True if a person has confirmed or written its tests, so that they decide. */
  confirmed: z.boolean(),
  /** The last decision about its tests; null before the first. */
  judged: z
    .object({
      decision: z.enum(['stands', 'mended', 'dropped', 'confirmed']),
      by: z.string().describe('`architect`, or the name of a person'),
    })
    .nullable(),
})

/** The criteria of a story, and the state of the tests that its editor does not see. */
export const storyAcceptanceSchema = z.object({
  state: z.enum(acceptanceStates),
  criteria: z.array(shownCriterionSchema),
})

export type StoryAcceptance = z.infer<typeof storyAcceptanceSchema>

/** GET /api/runs/:run/acceptance: the stories with hidden tests, in order. */
export const runAcceptanceSchema = z.object({
  stories: z.array(
    z.object({
      story: z.string(),
      title: z.string(),
      state: z.enum(storyStates),
      acceptance: storyAcceptanceSchema,
    }),
  ),
})

export type RunAcceptance = z.infer<typeof runAcceptanceSchema>

/**
 * GET /api/runs/:run/stories/:story/acceptance: includes content that no editor may read.
 * Untrusted.
 */
export const storyTestsSchema = storyAcceptanceSchema.extend({
  run: z.string(),
  story: z.string(),
  criteria: z.array(
    shownCriterionSchema.extend({
      /** Names of the criterion's tests. */
      tests: z.array(z.string()),
      /** The reason to keep the tests, if an architect was asked; null otherwise. */
      reason: z.string().nullable(),
      /** Problems from the last time when the tests were read and run. */
      problems: z.array(z.string()),
    }),
  ),
  files: z.array(file),
  /** Stub files that let the tests load on the base commit. */
  stub: z.array(file),
})

export type StoryTests = z.infer<typeof storyTestsSchema>

/** POST to the same path: ids of criteria, or files with the criteria that they test. */
export const decideTestsSchema = z.strictObject({
  confirm: ids.default([]),
  drop: ids.default([]),
  edit: z
    .strictObject({
      files: z
        .array(z.strictObject({ path: z.string().max(limits.acceptance.pathChars), content: z.base64() }))
        .min(1)
        .max(limits.acceptance.files),
      criteria: z
        .array(
          z.strictObject({
            id: ids.element,
            tests: z.array(name).min(1).max(testsOfCriterion).exactOptional().describe('left out where they stay'),
            behaviour: z.enum(['new', 'old']).exactOptional().describe('`old` passes on the base already'),
          }),
        )
        .min(1)
        .max(criteria),
    })
    .exactOptional(),
})
