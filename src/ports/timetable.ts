/** Reads cron expressions. Time zones and their changes of the clock are heeded. */
export interface Timetable {
  /**
   * The times after a moment, at most `count`; empty when there are none. DrydockError `bad_usage`
   * for an expression or a time zone that is none.
   */
  times(of: CronTimes, after: Date, count: number): Promise<readonly Date[]>
  /** IANA name of this machine's time zone. */
  readonly here: string
}

export interface CronTimes {
  readonly cron: string
  readonly timezone: string
}
