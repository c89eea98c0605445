import { z } from 'zod'
import { runStates } from '../../domain/run/run-machine.ts'

/** The Runs that a command without an id may mean. */
export const meanings = ['built', 'unfinished', 'pausable', 'plan', 'editable', 'retry', 'task'] as const

export type Meaning = (typeof meanings)[number]

/** A Run, `<run>/<story>`, a story of the latest crew, or nothing for the latest that is meant. */
export const idSchema = z.string().max(500).optional()

/** Query of GET /api/work. */
export const workQuerySchema = z.object({
  id: idSchema,
  /** The Runs that are looked for first where no id is given. */
  meant: z.enum(meanings).default('built'),
})

/** GET /api/work: the Run or the story that an id names. */
export const workSchema = z.object({
  run: z.string(),
  /** The name of the story; null for a whole Run, and for the only story of a task. */
  story: z.string().nullable(),
  state: z.enum(runStates),
  ended: z.boolean(),
  /** A person has paused it. */
  held: z.boolean(),
  /** True while the Run is being paused: its work stops after the current steps. */
  paused: z.boolean(),
  /** The verified result, which can be fetched by its commit. */
  result: z.object({
    branch: z.string().nullable(),
    sha: z.string().nullable(),
    base: z.string().nullable(),
    /** The event that told of the last result; null before it. */
    event: z.int().nullable(),
  }),
})

export type WorkNow = z.infer<typeof workSchema>
