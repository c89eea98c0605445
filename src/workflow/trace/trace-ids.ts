import { createHash } from 'node:crypto'

/**
 * Each end of a Run closes one trace: a Run that is retried after its end gets another. `end`
 * counts the earlier ends.
 */
export interface TraceOf {
  readonly run: string
  readonly end: number
}

/** Derived only from stored rows, so that a repeated export sends the same ids. */
export function traceIdOf({ run, end }: TraceOf): string {
  return digest('trace', run, end).slice(0, 32)
}

/** The id of a span, from its role in its trace. */
export function spanIdOf({ run, end }: TraceOf, ...what: readonly (string | number)[]): string {
  return digest('span', run, end, ...what).slice(0, 16)
}

function digest(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
