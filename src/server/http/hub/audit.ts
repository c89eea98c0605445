import type { AuditedAct } from '../../../app/operations/operation.ts'
import { limits } from '../../../domain/limits.ts'

/** An entry about a sign-in, a refusal, or a change of tokens. */
export type AuditEntry =
  | { readonly what: 'sign_in' | 'sign_out'; readonly name: string; readonly from: string }
  | { readonly what: 'sign_in_failed' | 'sign_in_limited'; readonly from: string; readonly why?: string }
  | { readonly what: 'provider_failed'; readonly why: string }
  | {
      readonly what: 'refused'
      readonly code: string
      readonly name: string | null
      readonly route: string | null
      readonly needs: string | null
      readonly from: string
    }
  | (AuditedAct & { readonly by: string | null })

export type Audit = (entry: AuditEntry) => void

/** Entries that anybody can cause without a token. */
const cheap: ReadonlySet<AuditEntry['what']> = new Set([
  ...(['refused', 'sign_in_failed', 'sign_in_limited', 'provider_failed'] as const),
])

/**
 * Writes one line per entry. Values are Drydock's own (names of tokens and routes, codes,
 * addresses), and JSON escapes the rest, so that nobody can forge a line. Refusals are cheap to
 * cause: after a certain number per minute, one line counts the others.
 */
export function createAudit(write: (line: string) => void, now: () => Date): Audit {
  let until = 0
  let said = 0
  let left = 0
  const say = (entry: object) => write(`audit ${JSON.stringify({ at: now().toISOString(), ...entry })}`)
  return (entry) => {
    if (!cheap.has(entry.what)) return say(entry)
    if (now().getTime() >= until) {
      if (left > 0) say({ what: 'left_out', count: left })
      until = now().getTime() + limits.hub.auditedMs
      said = 0
      left = 0
    }
    said += 1
    if (said > limits.hub.audited) left += 1
    else say(entry)
  }
}
