import { createHash } from 'node:crypto'

/**
 * Each end of a Run closes one trace of it: a Run that is retried after its end has another. `end`
 * counts the ends before.
 */
export interface TraceOf {
  readonly run: string
  readonly end: number
}

/** Derived from stored rows alone, so that whoever exports them again sends the same ids. */
export function traceIdOf({ run, end }: TraceOf): string {
  return digest('trace', run, end).slice(0, 32)
}

/** The id of a span, by what it is in its trace. */
export function spanIdOf({ run, end }: TraceOf, ...what: readonly (string | number)[]): string {
  return digest('span', run, end, ...what).slice(0, 16)
}

function digest(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
