import { statfs } from 'node:fs/promises'
import { type FreeSpace, freeSpaceIn, isRoomy } from '../../../domain/free-space.ts'
import { limits } from '../../../domain/limits.ts'
import type { Standby } from './standby.ts'

type CheckResult = 'ok' | 'failed'

/** The health of a hub in fixed words, since the caller needs no token. */
export interface Health {
  /** On standby another hub does the work, and this one accepts no requests. */
  readonly status: 'ready' | 'standby' | 'not_ready'
  readonly checks: {
    /** `ok` if the rows can be read. */
    readonly store: CheckResult
    /** `ok` if a process holds the lock of the state and works. */
    readonly owner: CheckResult
    /** `ok` if the disk of the state has space. */
    readonly disk: CheckResult
  }
}

interface Looking {
  /** Reads something from the store, to test it. */
  readonly look: () => Promise<unknown>
  readonly isOwned: () => boolean
  readonly standby?: Standby
  /** The folder of the state. */
  readonly state: string
  readonly now: () => Date
}

/** Reports whether a hub works. Checks at most once per second, however often it is called. */
export function createHealth({ look, isOwned, standby, state, now }: Looking): () => Promise<Health> {
  let last: { readonly until: number; readonly health: Promise<Health> } | null = null
  const check = async (): Promise<Health> => {
    const [store, disk] = await Promise.all([worded(inTime(look())), worded(diskOf(state).then(isRoomy))])
    const checks = { store, owner: isOwned() ? 'ok' : 'failed', disk } as const
    const isReady = Object.values(checks).every((each) => each === 'ok')
    if (!isReady) return { status: 'not_ready', checks }
    return { status: (await standby?.()) ? 'standby' : 'ready', checks }
  }
  return () => {
    if (last === null || last.until <= now().getTime()) {
      last = { until: now().getTime() + limits.hub.healthMs, health: check() }
    }
    return last.health
  }
}

export async function diskOf(folder: string): Promise<FreeSpace> {
  return freeSpaceIn(await statfs(folder))
}

/** Converts false, an error or a timeout to a failed check. */
async function worded(checking: Promise<unknown>): Promise<CheckResult> {
  return checking.then(
    (answer) => (answer === false ? 'failed' : 'ok'),
    () => 'failed',
  )
}

async function inTime(answer: Promise<unknown>): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer')), limits.hub.healthAnswerMs)
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer))
}
