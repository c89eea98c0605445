/**
 * The progress of git, in its own words: `Counting objects`. The total is null while it is unknown.
 */
export interface Progress {
  readonly step: string
  readonly done: number
  readonly total: number | null
}

/** Called many times a second. */
export type OnProgress = (progress: Progress) => void
