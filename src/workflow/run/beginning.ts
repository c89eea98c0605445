import type { Budget } from '../../domain/run/budget.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { RunMove } from './move-run.ts'

/** Values that are pinned when a Run begins, and hold for all of it. */
export interface Pins {
  readonly base: string
  readonly config: RunConfig
  readonly budget: Budget
}

/** A Run in WAITING: a new one, or one that was put back there, with the stories that it has. */
export interface Beginning<Request> {
  readonly run: Run
  readonly request: Request
  readonly pins: Pins
  readonly stories: readonly Story[]
}

/** The first work of a Run. Whatever is slow was done before. */
export interface FirstWork {
  /** Moves the pinned Run on; tells, or asks, everything that comes before that. */
  readonly move: (tx: Transaction, pinned: Run) => Promise<RunMove>
  readonly work: (tx: Transaction, moved: Run) => Promise<void>
}
