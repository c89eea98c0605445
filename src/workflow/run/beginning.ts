import type { Budget } from '../../domain/run/budget.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { RunMove } from './move-run.ts'

/** Values that are pinned when a Run starts, for its whole duration. */
export interface Pins {
  readonly base: string
  readonly config: RunConfig
  readonly budget: Budget
}

/** A Run in WAITING, with its stories: a new Run, or one that returned there. */
export interface Beginning<Request> {
  readonly run: Run
  readonly request: Request
  readonly pins: Pins
  readonly stories: readonly Story[]
}

/** The first work of a Run. Slow work was done before. */
export interface FirstWork {
  /** The Run's first move after pinning; events and questions that precede it are stored here. */
  readonly move: (tx: Transaction, pinned: Run) => Promise<RunMove>
  readonly work: (tx: Transaction, moved: Run) => Promise<void>
}
