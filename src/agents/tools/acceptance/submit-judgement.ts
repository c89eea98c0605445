import { z } from 'zod'
import { limits } from '../../../domain/limits.ts'
import { defineAnsweredLater } from '../tool.ts'

const { path, files, fileChars, lineChars, testsOfCriterion, criteria } = limits.writtenTests

const decided = () =>
  z.strictObject({
    id: z.string().min(1).max(40).describe('of the criterion, such as C1'),
    decision: z
      .enum(['stands', 'mended', 'dropped'])
      .describe(
        'stands: the change does not do what it says; mended: `files` has the right test; dropped: its test is wrong',
      ),
    reason: z.string().min(1).max(2_000).describe('for the receipt; the editor never reads it'),
    tests: z
      .array(z.string().min(1).max(lineChars))
      .max(testsOfCriterion)
      .exactOptional()
      .describe('mended: its tests now'),
  })

export const judgementInput = () =>
  z.strictObject({
    criteria: z.array(decided()).min(1).max(criteria),
    files: z
      .array(z.strictObject({ path: z.string().min(1).max(path), content: z.string().max(fileChars) }))
      .max(files)
      .default([])
      .describe('mended: whole files, in place of those of the same path'),
  })

export const submitJudgement = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_judgement',
  purpose: 'Decide about the test of each criterion in question, and end. The last call of its turn.',
  input: judgementInput,
  roles: ['architect_judge'],
})
