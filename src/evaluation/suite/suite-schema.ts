import { z } from 'zod'
import { storyIdPattern, storyIdRule } from '../../domain/story/planned-story.ts'

/** The schema of `suite.json` (docs/evaluation.md). It is strict: an unknown key is an error. */

const text = z.string().trim().min(1)

/** One line without terminal control characters. */
const line = text.refine((value) => !/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u.test(value), {
  error: 'must be one line without control characters',
})

const isBelow = (path: string) => !path.startsWith('/') && !path.split('/').includes('..')

const inSuite = line.refine(isBelow, { error: 'must be a path in the folder of the suite, without ".."' })

const inRepository = line.refine(
  (path) => isBelow(path) && !path.split('/').some((part) => part === '' || part === '.' || /^\.git$/i.test(part)),
  {
    error: 'must be a path in the repository: relative, without "..", and outside .git',
  },
)

const seconds = z.int().min(1).max(86_400)

/** Maps a path in the repository to the suite's file that is put there. */
const files = z.record(inRepository, inSuite)

const change = { patch: inSuite.exactOptional(), files: files.exactOptional() }
const oneChange = (value: { readonly patch?: unknown; readonly files?: unknown }) =>
  (value.patch === undefined) !== (value.files === undefined)
const needsOneChange = { error: 'needs exactly one of "patch" and "files"' }

const hidden = z
  .strictObject({ ...change, command: text, timeout_sec: seconds.exactOptional() })
  .refine(oneChange, needsOneChange)

const storyId = z.string().regex(storyIdPattern, { error: storyIdRule })

const story = z
  .strictObject({
    id: storyId,
    ...change,
    depends_on: z.array(storyId).default([]),
    after_return: files.exactOptional(),
  })
  .refine(oneChange, needsOneChange)

const solution = {
  ...change,
  stories: z.array(story).min(1).exactOptional(),
  returns: z.int().min(0).exactOptional(),
}

const oneSolution = (value: { readonly patch?: unknown; readonly files?: unknown; readonly stories?: unknown }) =>
  [value.patch, value.files, value.stories].filter((each) => each !== undefined).length === 1
const needsOneSolution = { error: 'needs exactly one of "patch", "files" and "stories"' }

export const expectations = ['resolved', 'false_pass', 'false_block', 'blocked'] as const

const gold = z.strictObject(solution).refine(oneSolution, needsOneSolution)
const wrong = z.strictObject({ ...solution, expect: z.enum(expectations) }).refine(oneSolution, needsOneSolution)

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, {
  error: 'must be letters, digits, ".", "_" and "-", at most 100',
})

const task = z.strictObject({
  id: name,
  repo: line,
  base: line.exactOptional(),
  spec: inSuite,
  mode: z.enum(['run', 'task']),
  config: inSuite.exactOptional(),
  hidden: z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(hidden).min(1),
  ),
  timeout_sec: seconds,
  answer: text.exactOptional(),
  gold: gold.exactOptional(),
  wrong: z.record(name, wrong).default({}),
})

export const suiteSchema = z
  .strictObject({ name: line.exactOptional(), tasks: z.array(task).min(1) })
  .superRefine(({ tasks }, context) => {
    for (const [at, { id }] of tasks.entries()) {
      const first = tasks.findIndex((other) => other.id === id)
      if (first === at) continue
      context.addIssue({
        code: 'custom',
        path: ['tasks', at, 'id'],
        message: `"${id}" is already the id of tasks[${first}]`,
      })
    }
  })

export type SuiteFile = z.output<typeof suiteSchema>
export type TaskEntry = SuiteFile['tasks'][number]
export type SolutionEntry = z.output<typeof gold>
