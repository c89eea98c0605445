import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { defineAnsweredLater } from './tool.ts'

const { questions, fewestOptions, mostOptions } = limits.interview

const question = () =>
  z
    .strictObject({
      question: z.string().min(1).max(500).describe('one decision, in one or two sentences'),
      why: z.string().max(500).default('').describe('what depends on it, with the file that shows it'),
      options: z
        .array(z.string().min(1).max(300))
        .min(fewestOptions)
        .max(mostOptions)
        .describe('answers that the user can pick; each is complete by itself'),
      recommended: z.int().min(1).max(mostOptions).describe('number of the option that you recommend, from 1'),
    })
    .refine(({ options, recommended }) => recommended <= options.length, {
      error: 'there is no option of that number',
      path: ['recommended'],
    })

export const askUserInput = () => z.strictObject({ questions: z.array(question()).min(1).max(questions) })

export const askUser = defineAnsweredLater({
  kind: 'wait',
  name: 'ask_user',
  purpose: `Ask the user 1 to ${questions} questions at once and get the answers. Give ${fewestOptions} to ${mostOptions} possible answers to each; the user may also answer freely or leave the decision to you.`,
  input: askUserInput,
  roles: ['architect_interview'],
})
