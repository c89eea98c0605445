import { globSync, writeFileSync } from 'node:fs'

/** Debian's library that shows a program another time; null if it is not installed. */
export function fakeClock(): string | null {
  return globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0] ?? null
}

/** The wall clock of a host, which can be set while its programs run. */
export interface HostClock {
  /** Variables that make the host's programs use this clock. */
  readonly env: Readonly<Record<string, string>>
  /** Sets how many seconds the clock is ahead of the true time. */
  set(aheadSec: number): void
}

export function hostClock(file: string): HostClock {
  const library = fakeClock()
  if (library === null) throw new Error('libfaketime is not installed')
  const set = (aheadSec: number) => writeFileSync(file, `${aheadSec < 0 ? '' : '+'}${aheadSec}\n`)
  set(0)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // A wrong wall clock does not change durations.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}
