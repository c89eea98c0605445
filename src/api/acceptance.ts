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
  /** Why it has no test any more, or why it has another; null where nobody has said. */
  why: z.string().nullable(),
  /** A person has taken or written its tests: they decide. */
  confirmed: z.boolean(),
  /** The last decision about its tests; null before the first. */
  judged: z
    .object({
      decision: z.enum(['stands', 'mended', 'dropped', 'confirmed']),
      by: z.string().describe('`architect`, or the name of a person'),
    })
    .nullable(),
})

/** The criteria of a story, and where the tests are that its editor does not see. */
export const storyAcceptanceSchema = z.object({
  state: z.enum(acceptanceStates),
  criteria: z.array(shownCriterionSchema),
})

export type StoryAcceptance = z.infer<typeof storyAcceptanceSchema>

/** GET /api/runs/:run/acceptance: the stories that have tests of their own, in their order. */
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

/** GET /api/runs/:run/stories/:story/acceptance: also what no editor may read. Never trusted. */
export const storyTestsSchema = storyAcceptanceSchema.extend({
  run: z.string(),
  story: z.string(),
  criteria: z.array(
    shownCriterionSchema.extend({
      /** Names of its tests. */
      tests: z.array(z.string()),
      /** Why they stand, where an architect was asked. */
      reason: z.string().nullable(),
      /** Problems that were found when they were read and tried last. */
      problems: z.array(z.string()),
    }),
  ),
  files: z.array(file),
  /** Files that make the tests load on the base. */
  stub: z.array(file),
})

export type StoryTests = z.infer<typeof storyTestsSchema>

/** POST to the same place: ids of criteria, or files with the criteria that they test. */
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
