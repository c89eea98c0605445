import type { StepHandler } from '../../ports/engine.ts'
import type { Job } from '../../ports/jobs.ts'

/** The handler of steps of one kind of machine. */
export interface Worker {
  readonly concurrency: number
  readonly handler: StepHandler
}

/** A step that was started here and has not ended. */
export interface UnderWay {
  readonly job: Job
  readonly abort: AbortController
  readonly done: Promise<void>
}
