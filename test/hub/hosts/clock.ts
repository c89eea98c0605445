import { globSync, writeFileSync } from 'node:fs'

/** Where Debian keeps the library that makes a program see another time; null without it. */
export function fakeClock(): string | null {
  return globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0] ?? null
}

/** The wall clock of a host, which can be set while its programs run. */
export interface HostClock {
  /** What its programs have in their environment. */
  readonly env: Readonly<Record<string, string>>
  /** Seconds ahead of the true time. */
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
      // A clock that is set wrong does not change how long anything takes.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}
