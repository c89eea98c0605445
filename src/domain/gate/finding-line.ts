import { sentence } from '../sentence.ts'
import type { Finding } from './finding.ts'

interface Place {
  readonly file: string
  readonly line?: number | null | undefined
}

/** The place of a finding; empty for a finding without a file. */
export function placeOf({ file, line }: Place): string {
  return file === '' || line == null ? file : `${file}:${line}`
}

type FindingFacts = Pick<Finding, 'id' | 'severity' | 'claim'> & Place

/** A finding in one line. `more` goes beside its severity. */
export function findingLine({ id, severity, claim, ...place }: FindingFacts, ...more: readonly string[]): string {
  return sentence`${id} (${[severity, ...more].join(', ')}) ${placeOf(place)}: ${claim}`
}
