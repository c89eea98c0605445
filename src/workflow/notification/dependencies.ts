import type { Telemetry } from '../../ports/telemetry.ts'
import type { Notifying } from './queue-notices.ts'

/** The parts that notify people and other programs of the work. */
export interface NoticeDependencies {
  readonly notifying: Notifying
  readonly telemetry: Telemetry
}
