import { follow } from '../../src/app/wait/follow.ts'
import type { OwnOptions } from '../../src/ports/owner.ts'
import type { Records } from '../../src/ports/store.ts'
import type { Hooks, MemoryFixture } from './fixture.ts'
import type { MemoryProcess } from './process.ts'

/**
 * The commit at which a process ends as by SIGKILL: right after the first one that makes the
 * condition true, or before it, when the step's slow work is done but not stored.
 */
export interface Death {
  readonly moment: 'before' | 'after'
  /** Commits are counted from 1. */
  readonly when: (records: Records, commit: number) => boolean | Promise<boolean>
}

export const atCommit = (moment: Death['moment'], n: number): Death => ({ moment, when: (_, commit) => commit === n })

interface KilledRun {
  readonly fixture: MemoryFixture
  readonly run: string
  /** Number of slots; 1 by default. */
  readonly coders?: number
}

/** Works on a Run in a separate process. False if it finished before its death. */
export async function dies({ fixture, run, coders = 1 }: KilledRun, death: Death | null): Promise<boolean> {
  const { process, drydock } = await begin(fixture, death)
  const followed = follow(drydock, {
    runs: [run],
    after: 0,
    coders,
    own: true,
    noWait: false,
    humanDelayMs: 0,
    onEvent: () => {},
    onNote: () => {},
    stop: new AbortController().signal,
  })
  return 'signal' in (await Promise.race([followed, process.ended]))
}

/**
 * Works in one process after the other, each of which ends at a commit. Returns the number of
 * processes.
 */
export async function diesAgainAndAgain(followed: KilledRun, moment: Death['moment']): Promise<number> {
  // Before its first commit a process makes no progress.
  const death = atCommit(moment, moment === 'after' ? 1 : 2)
  for (let processes = 1; processes < 400; processes += 1) if (!(await dies(followed, death))) return processes
  throw new Error('it does not end')
}

/** Owns the state in a process until its death. */
export async function ownsUntilDeath(
  fixture: MemoryFixture,
  { death, ...own }: Omit<OwnOptions, 'onFailure'> & { readonly death: Death } & Pick<Hooks, 'clock'>,
): Promise<void> {
  const { process, drydock } = await begin(fixture, death, own.clock)
  const { promise, reject } = Promise.withResolvers<never>()
  const owned = drydock.own({ ...own, onFailure: reject }).then(() => process.ended)
  await Promise.race([promise, owned, process.ended])
}

async function begin(fixture: MemoryFixture, death: Death | null, clock?: Hooks['clock']) {
  let commit = 0
  let isDue = false
  let end: MemoryProcess['kill'] = () => {}
  const begun = await fixture.begin({
    async beforeCommit(records) {
      isDue = death !== null && (await death.when(records, commit + 1))
      if (isDue && death?.moment === 'before') end('SIGKILL')
    },
    afterCommit() {
      commit += 1
      if (isDue) end('SIGKILL')
    },
    ...(clock && { clock }),
  })
  end = begun.process.kill
  return begun
}
