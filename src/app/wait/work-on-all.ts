import { createBell } from './bell.ts'
import { createSession, retryMs, type Workplace } from './session.ts'

interface Working {
  readonly coders: number
  readonly shared?: boolean
  /** The address of this process, if it is a hub. */
  readonly url?: string
  /** Called repeatedly; the argument tells whether this process does the work. */
  readonly onStanding?: (owns: boolean) => void
  /** False only to watch: another process does the work. */
  readonly own: boolean
  readonly onNote: (text: string) => void
  /** Called after each commit. */
  readonly onChange?: () => void
  readonly stop: AbortSignal
  /**
   * Runs while this process is the owner. It begins when the process becomes the owner, and ends
   * just before the process stops to be that.
   */
  readonly asOwner?: { begin(): void; end(): Promise<void> } | null
}

/** Works on all Runs while no other process does, until it is stopped. */
export async function workOnAll(
  drydock: Workplace,
  { stop, onChange, onStanding, asOwner = null, ...working }: Working,
): Promise<void> {
  const bell = createBell({ settleMs: 0 })
  const failures: unknown[] = []
  const fail = (error: unknown) => {
    failures.push(error)
    bell.ring()
  }
  const ring = () => {
    bell.ring()
    onChange?.()
  }
  const session = createSession(drydock, {
    ...working,
    runs: [],
    all: true,
    stays: true,
    fail,
    ring,
    onOwner: asOwner?.begin,
  })
  stop.addEventListener('abort', bell.ring, { once: true })
  try {
    while (!stop.aborted) {
      if (failures.length > 0) throw failures[0]
      if (working.own) {
        await session.ensure()
        onStanding?.(session.owns())
      }
      await bell.next(!working.own || session.connected() ? idleMs : retryMs)
    }
  } finally {
    await asOwner?.end()
    await session.end({ drain: false })
  }
}

/** The longest wait in milliseconds; a ring ends it sooner. */
const idleMs = 60_000
