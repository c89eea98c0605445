import { quote } from './text.ts'

/** An editor's claim about work for which it changed nothing. Nobody has checked it. */
export interface Claim {
  readonly reason: string
  /** Null where the editor handed in an empty change. */
  readonly evidence: string | null
}

/** The name that `--accept` takes for a task without a change. */
export const acceptNoChange = 'no_change'

/** The editor's claim for people, marked as its own words. */
export function claimText({ reason, evidence }: Claim): string {
  const shown = evidence === null ? '' : `\n\nIts evidence:\n\n${quote(evidence)}`
  return `The editor changed nothing. It says:\n\n${quote(reason)}${shown}`
}
