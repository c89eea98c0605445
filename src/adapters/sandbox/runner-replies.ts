import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { once } from '../../domain/once.ts'
import type { RunnerReply, RunnerRequest } from '../../ports/sandbox.ts'

const codes = [
  ...([
    'not_found',
    'outside',
    'not_a_file',
    'too_large',
    'changed',
    'exists',
    'read_only',
    'bad_pattern',
    'failed',
  ] as const),
] as const
/** The schemas of the replies to each `op`, created when they are first needed. */
const replies = {
  run: replyOf(() => ({
    exitCode: z.int().nullable(),
    timedOut: z.boolean(),
    output: z.string(),
    truncated: z.boolean(),
    durationMs: z.number(),
  })),
  start: replyOf(() => ({})),
  look: replyOf(() => ({
    output: z.string(),
    leftOut: z.int(),
    isRunning: z.boolean(),
    ranMs: z.number(),
    exitCode: z.int().nullable(),
  })),
  read: replyOf(() => ({ base64: z.string(), size: z.int(), sha256: z.string(), path: z.string() })),
  hash: replyOf(() => ({ sha256: z.string().nullable() })),
  list: replyOf(() => ({ paths: z.array(z.string()), truncated: z.boolean() })),
  search: replyOf(() => ({
    matches: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })),
    truncated: z.boolean(),
  })),
  state: replyOf(() => ({ sha256: z.string() })),
  git: replyOf(() => ({ code: z.int().nullable(), base64: z.string(), stderr: z.string() })),
  write: replyOf(() => ({ sha256: z.string() })),
  change: replyOf(() => ({})),
  place: replyOf(() => ({})),
  move: replyOf(() => ({})),
  delete: replyOf(() => ({})),
} satisfies { [Op in RunnerRequest['op']]: () => z.ZodType<RunnerReply<Op>> }

const answer = once(() => z.object({ id: z.int(), reply: z.unknown() }))

export interface Answer {
  readonly id: number
  readonly reply: RunnerReply<RunnerRequest['op']>
}

/**
 * The reply in a line, if it belongs to one of the waiting requests; null for anything else, since
 * code inside may write arbitrary lines.
 */
export function parseAnswer(
  line: string,
  waiting: ReadonlyMap<number, { readonly op: RunnerRequest['op'] }>,
): Answer | null {
  const parsed = answer().safeParse(parsedJson(line))
  if (!parsed.success) return null
  const { id } = parsed.data
  const asked = waiting.get(id)
  const reply = asked && replies[asked.op]().safeParse(parsed.data.reply).data
  return reply === undefined ? null : { id, reply }
}

function replyOf<Shape extends z.ZodRawShape>(shape: () => Shape) {
  return once(() => {
    const refusal = z.object({ ok: z.literal(false), code: z.enum(codes), message: z.string() })
    return z.union([z.object({ ok: z.literal(true), value: z.object(shape()) }), refusal])
  })
}
