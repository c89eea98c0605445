/** Reads cron expressions, with time zones and their clock changes. */
export interface Timetable {
  /**
   * The times after a moment, at most `count`; empty without any. Throws DrydockError `bad_usage`
   * for an invalid expression or time zone.
   */
  times(of: CronTimes, after: Date, count: number): Promise<readonly Date[]>
  /** IANA name of this machine's time zone. */
  readonly here: string
}

export interface CronTimes {
  readonly cron: string
  readonly timezone: string
}
