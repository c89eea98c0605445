import { createBell } from './bell.ts'
import { createSession, retryMs, type Workplace } from './session.ts'

interface Working {
  readonly coders: number
  readonly shared?: boolean
  /** The address of this process, if it is a hub. */
  readonly url?: string
  /** Called again and again with whether this process does the work. */
  readonly onStanding?: (owns: boolean) => void
  /** False only to watch: another process does the work. */
  readonly own: boolean
  readonly onNote: (text: string) => void
  /** Called when something was committed. */
  readonly onChange?: () => void
  readonly stop: AbortSignal
  /** Goes on beside the work, from when this process is the owner until right before its end. */
  readonly asOwner?: { begin(): void; end(): Promise<void> } | null
}

/** Takes up all work while nobody else does, until it is stopped. */
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

/** Whoever waits is woken for what happens. */
const idleMs = 60_000
