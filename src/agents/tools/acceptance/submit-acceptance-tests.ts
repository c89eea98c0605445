import { z } from 'zod'
import { limits } from '../../../domain/limits.ts'
import { defineAnsweredLater } from '../tool.ts'

const { path, files, fileChars, testsOfCriterion, entries, lineChars } = limits.writtenTests

const file = () => z.strictObject({ path: z.string().min(1).max(path), content: z.string().max(fileChars) })

const line = (most: number = lineChars) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\n\r]*$/, 'must be one line')

const criterion = () =>
  z.strictObject({
    id: z.string().min(1).max(40).describe('of the criterion, such as C1'),
    tests: z
      .array(line())
      .max(testsOfCriterion)
      .default([])
      .describe('names of its tests, as the runner prints them, without file and suites'),
    behaviour: z
      .enum(['new', 'old'])
      .default('new')
      .describe('new: its tests fail on the base; old: they pass there, and go on passing'),
    untested: z.string().min(1).max(1_000).exactOptional().describe('instead of tests: why no test can decide it'),
  })

const entry = () =>
  z.strictObject({
    file: z.string().min(1).max(path),
    name: line(),
    signature: line(),
    errors: line().exactOptional().describe('kinds of errors that it throws'),
  })

export const acceptanceInput = () =>
  z.strictObject({
    files: z.array(file()).max(files).describe('new test files, each from the top of the repository'),
    criteria: z
      .array(criterion())
      .max(limits.writtenTests.criteria)
      .describe('every criterion of the story, by its id'),
    interface: z
      .array(entry())
      .max(entries)
      .default([])
      .describe('the entry points that the tests use; the editor is told of them, and of nothing else'),
    stub: z
      .array(file())
      .max(files)
      .default([])
      .describe('files that make the tests load on the base: entry points that throw `not built yet`'),
  })

export const submitAcceptanceTests = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_acceptance_tests',
  purpose: 'Hand in the tests of all criteria. The last call of its turn.',
  input: acceptanceInput,
  roles: ['architect_tests'],
})
