/**
 * An acceptance criterion of a story, and how far tests of it are. `unwritten`: not handed in yet.
 * `tested`: a test that nobody of the editors sees decides. `untested`: `why` says why none does.
 * `dropped`: somebody has found its test wrong.
 */
export interface Criterion {
  /** `C1`, by its place in the story. */
  readonly id: string
  /** As it was approved. */
  readonly text: string
  readonly state: 'unwritten' | 'tested' | 'untested' | 'dropped'
  readonly why?: string
  /** A person has read its tests and takes them: they decide, as tests that a person wrote do. */
  readonly confirmed?: true
  /** Whether the behaviour is there already; left out without a test. */
  readonly behaviour?: 'new' | 'old'
  /** Left out until somebody else than their author has decided about its tests. */
  readonly judged?: Judgement
}

/** A decision about the tests of a criterion, after they were written. */
export interface Judgement {
  readonly decision: 'stands' | 'mended' | 'dropped' | 'confirmed'
  /** Empty for a person, who needs none. */
  readonly reason: string
  /** The name of the person; left out for an architect. */
  readonly by?: string
}

/** An entry point that the tests use, as their author and the editor have to know it alike. */
export interface InterfaceEntry {
  /** Path of its file, from the top of the repository. */
  readonly file: string
  readonly name: string
  /** One line. */
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

/** Counts the times that an editor was told of unmet criteria, and a second reader was asked. */
export interface Unmet {
  readonly told: number
  readonly judged: number
  /** Ids of the findings that a human is asked about; left out while none is. */
  readonly findings?: readonly string[]
}
