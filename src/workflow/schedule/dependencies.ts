import type { Command } from '../../domain/command.ts'
import type { ScheduleData } from '../../domain/schedule/schedule.ts'
import type { Timetable } from '../../ports/timetable.ts'
import type { NoticeDependencies } from '../notification/dependencies.ts'
import type { StepDependencies } from '../step-dependencies.ts'

/** The parts that start a Run at a scheduled time. */
export interface ScheduleDependencies
  extends Pick<StepDependencies, 'store' | 'clock'>,
    Pick<NoticeDependencies, 'notifying'> {
  readonly timetable: Timetable
  /** The command that starts the scheduled work. Throws DrydockError if something prevents it. */
  readonly scheduled: (schedule: ScheduleData) => Promise<Extract<Command, { kind: 'start' }>>
}
