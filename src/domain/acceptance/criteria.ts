/**
 * An acceptance criterion of a story, and the state of its tests. `unwritten`: not handed in yet.
 * `tested`: a test that no editor sees decides. `untested`: `why` gives the reason. `dropped`:
 * somebody found its test wrong.
 */
export interface Criterion {
  /** `C1`, by its place in the story. */
  readonly id: string
  /** The text that was approved. */
  readonly text: string
  readonly state: 'unwritten' | 'tested' | 'untested' | 'dropped'
  readonly why?: string
  /**
   * True if a person has read the tests and accepted them: they decide, as tests written by a
   * person do.
   */
  readonly confirmed?: true
  /** `old` if the base already behaves this way; left out without a test. */
  readonly behaviour?: 'new' | 'old'
  /** Left out until somebody other than the author has decided about the tests. */
  readonly judged?: Judgement
}

/** A decision about the tests of a criterion, after they were written. */
export interface Judgement {
  readonly decision: 'stands' | 'mended' | 'dropped' | 'confirmed'
  /** Empty for a person, who needs no reason. */
  readonly reason: string
  /** The name of the person; left out for an architect. */
  readonly by?: string
}

/** An entry point that the tests use, and that their author and the editor must agree on. */
export interface InterfaceEntry {
  /** Path of its file, from the top of the repository. */
  readonly file: string
  readonly name: string
  /** The signature, on one line. */
  readonly signature: string
  /** Kinds of errors, one line; left out where it throws none. */
  readonly errors?: string
}

export type Interface = readonly InterfaceEntry[]

/** The criteria of a story before anybody has written a test. */
export function criteriaOf(texts: readonly string[]): readonly Criterion[] {
  return texts.map((text, i) => ({ id: `C${i + 1}`, text, state: 'unwritten' }))
}

export function describeInterface(entries: Interface): string {
  return entries
    .map(
      ({ file, name, signature, errors }) =>
        `- \`${file}\`: \`${name}\`: \`${signature}\`${errors ? `; errors: ${errors}` : ''}`,
    )
    .join('\n')
}

/** Counts how often an editor was told of unmet criteria, and a second reader was asked. */
export interface Unmet {
  readonly told: number
  readonly judged: number
  /** Ids of the findings that a human is asked about; left out while none is. */
  readonly findings?: readonly string[]
}
