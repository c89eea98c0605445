import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Json } from '../../domain/json.ts'
import { once } from '../../domain/once.ts'
import { modelErrorKinds } from '../../ports/model.ts'

/**
 * `human` and `merge_order` are for the code that plays the person and the merges; the model
 * exposes them as its script.
 */
const replayFile = once(() => {
  const json: z.ZodType<Json> = z.json()
  const tokens = z.number().int().nonnegative()

  const usage = z.strictObject({
    input: tokens.default(0),
    output: tokens.default(0),
    cacheRead: tokens.default(0),
    cacheWrite: tokens.default(0),
  })

  const reply = z.strictObject({
    text: z.string().optional(),
    calls: z.array(z.strictObject({ tool: z.string().min(1), input: json })).optional(),
    usage: usage.optional(),
  })

  const failure = z.strictObject({
    error: z.strictObject({
      kind: z.enum(modelErrorKinds).default('overloaded'),
      message: z.string().default('scripted failure'),
      retryable: z.boolean().default(true),
      retryAfterMs: z.number().int().nonnegative().nullable().default(null),
    }),
    usage: usage.optional(),
  })

  const turn = z.union([failure, reply], { error: 'a turn is { text?, calls?, usage? } or { error }' })

  const answer = z.strictObject({ escalation: z.int().min(1), reply: z.string().trim().min(1) })

  const oneEach = (answers: readonly { readonly escalation: number }[]) =>
    new Set(answers.map(({ escalation }) => escalation)).size === answers.length

  return z.strictObject({
    version: z.literal(1),
    lanes: z.record(z.string(), z.array(turn)),
    human: z.array(answer).refine(oneEach, { error: 'two replies to the same escalation' }).optional(),
    merge_order: z.array(z.string()).optional(),
  })
})

export type ReplayFile = z.infer<ReturnType<typeof replayFile>>
export type ReplayTurn = ReplayFile['lanes'][string][number]

/**
 * Reads a replay file (docs/configuration.md, "Replay files"). Throws DrydockError `bad_model`,
 * which names the file and the place in it.
 */
export function readReplayFile(file: string): ReplayFile {
  const parsed = replayFile().safeParse(parse(file))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const place = issue?.path.length ? issue.path.join('.') : 'the top level'
  throw unusable(file, `at ${place}: ${issue?.message}`, parsed.error)
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw unusable(file, error instanceof Error ? error.message : String(error), error)
  }
}

function unusable(file: string, why: string, cause: unknown): DrydockError {
  return new DrydockError('bad_model', `The replay file ${file} cannot be used: ${why}`, {
    todo: 'Correct the file, or name another one after replay:.',
    cause,
  })
}
