import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { once } from '../../domain/once.ts'
import { predicateType, type Statement, statementType } from '../../domain/verification/receipt.ts'

const statement = once(() => {
  const text = z.string()
  const count = z.int().min(0)
  const sha = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/)

  const receipt = z.object({
    made_at: text,
    drydock: z.object({ version: text }),
    run: z.object({ id: text, kind: z.enum(['spec', 'task']), branch: text }),
    story: z.object({
      id: text,
      title: text,
      edited_by: text.exactOptional(),
      handed_in_by: z.literal('drydock').exactOptional(),
    }),
    commit: sha,
    tree: sha,
    base: sha,
    onto: sha.nullable(),
    approved_commit: sha.nullable(),
    verification: z.object({
      run_id: text,
      status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']),
      sandbox: text,
      image: text.nullable(),
      os: text,
      arch: text,
      layers: z.array(z.object({ key: text, outputs: z.array(text) })),
      commands: z.array(
        z.object({
          name: text,
          command: text,
          exit_code: z.int().nullable(),
          duration_ms: z.number(),
          timed_out: z.boolean(),
          services: z
            .array(z.object({ name: text, ready_ms: z.number(), exit_code: z.int().nullable(), log: text }))
            .exactOptional(),
        }),
      ),
      tests: z.object({ passed: count, failed: count, skipped: count }).nullable(),
      flaky: z.array(text),
      pre_existing: z.array(text),
      allowed: z.array(text).exactOptional(),
      roles: z.enum(['by use', 'by name']).exactOptional(),
      not_tried: z.array(text).exactOptional(),
    }),
    editor: z.object({ agent: text, version: text.nullable(), credentials: z.array(text) }).exactOptional(),
    reviewer: z
      .object({
        agent: z.enum(['architect', 'human']),
        model: text,
        request: text,
        round: count,
        verdict: z.enum(['APPROVED', 'NEEDS_CHANGES', 'REJECTED']),
      })
      .nullable(),
    findings: z.array(
      z.object({
        id: text,
        severity: z.enum(['blocker', 'major', 'minor']),
        state: z.enum(['open', 'closed', 'accepted']),
        raised_by: z.enum(['gate', 'person', 'reviewer']),
        accepted_by: z.enum(['architect', 'human']).nullable(),
        accepter: text.exactOptional(),
        reason: text.exactOptional(),
        file: text,
        line: z.number().nullable(),
        claim: text,
        round: count,
      }),
    ),
    acceptance: z
      .array(
        z.object({
          id: text,
          text,
          result: z.enum(['met', 'not_met', 'untested', 'dropped']),
          confirmed: z.boolean(),
          judged: z
            .object({ decision: z.enum(['stands', 'mended', 'dropped', 'confirmed']), by: text, reason: text })
            .nullable(),
        }),
      )
      .exactOptional(),
    escalations: z.array(z.object({ id: text, question: text, answer: text.nullable(), answered_by: text.nullable() })),
    landed_anyway: z.object({ reason: text, by: text, held_by: text }).exactOptional(),
    cost: z.object({ usd: z.number().nullable(), tokens: count, calls: count }),
    left_out: z.object({ layers: count, commands: count, tests: count, findings: count, escalations: count }),
  })

  return z.object({
    _type: z.literal(statementType),
    subject: z
      .array(z.object({ name: text, digest: z.object({ gitCommit: sha.optional(), gitTree: sha.optional() }) }))
      .min(1),
    predicateType: z.literal(predicateType),
    predicate: receipt,
  }) satisfies z.ZodType<Statement>
})

/** Null for a statement of another kind or version. Fields added by later versions are dropped. */
export function readStatement(payload: Buffer): Statement | null {
  return statement().safeParse(parsedJson(payload.toString('utf8'))).data ?? null
}
