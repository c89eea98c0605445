import { markOf } from '../../../agents/call-progress.ts'
import { countRepeated, type Lane, type LaneData, type LaneStop } from '../../../domain/lane/lane.ts'
import { nextRequest } from '../../../domain/lane/next-request.ts'
import { normalisedOutput } from '../../../domain/lane/normalised-output.ts'
import { isFirstLookDue, standstillOf, withCall, withKnown, withMarks } from '../../../domain/lane/progress.ts'
import { limits } from '../../../domain/limits.ts'
import type { AgentUpdate } from '../../../ports/coding-agent.ts'

type Counts = Pick<LaneData, 'iterations' | 'repeated' | 'progress'>
type ToolUpdate = Extract<AgentUpdate, { type: 'tool' }>

export interface Guarding {
  readonly lane: Lane
  /** Replies of this turn that a process saw before it died. */
  readonly seen: number
  /**
   * True for an agent without a gateway: its observed actions stand for the replies of its model.
   */
  readonly countsTools: boolean
  /** A fingerprint of the workspace's files; null if it cannot be computed. */
  readonly look: () => Promise<string | null>
  /** Called once. */
  readonly onStop: (stop: LaneStop) => void
}

/**
 * Applies the lane's guards to one turn of a foreign agent, as far as they can be observed: the
 * number of replies, repeated calls, and missing progress.
 */
export function createTurnGuard({ lane, seen, countsTools, look, onStop }: Guarding) {
  const { limits: own } = lane.data
  const ended = new Set<string>()
  let counts: Counts = { ...lane.data, iterations: lane.data.iterations + seen }
  let isStopped = false
  let isLooking = false
  let isRemembered = lane.data.progress.seen.some((mark) => mark.startsWith('files:'))
  let isOver = false

  function stop(reason: LaneStop): void {
    if (isStopped) return
    isStopped = true
    onStop(reason)
  }

  function check(): void {
    if ((counts.repeated?.count ?? 0) >= limits.identicalCallsStop) stop('identical_calls')
    else if (standstill() !== null || (!isRemembered && isFirstLookDue(counts, own.withoutProgress))) void lookAgain()
  }

  const standstill = () => standstillOf(counts, own.withoutProgress)

  function isSpent(): boolean {
    return nextRequest({ ...counts, limits: own }) === 'never'
  }

  /**
   * A look that still runs may find a better reason: that there was no progress before the limit.
   */
  function stopSpent(): void {
    isOver = true
    if (!isLooking) stop('iteration_limit')
  }

  /**
   * Progress that the agent does not report shows in its files: if they have changed since the
   * previous look, the count restarts. The first look restarts it too, since the earlier files are
   * unknown. An agent without calls left gets no more, and two looks decide the reason.
   */
  async function lookAgain(): Promise<void> {
    if (isLooking || isStopped) return
    isLooking = true
    if (!isRemembered) {
      await compare(withKnown)
      isRemembered = true
      const { progress, iterations } = counts
      if (!isOver) counts = { ...counts, progress: { ...progress, at: iterations, calls: [] } }
    }
    if (standstill() !== null) await compare(withMarks)
    isLooking = false
    const reason = standstill()
    if (reason !== null) stop(reason)
    else if (isOver) stop('iteration_limit')
  }

  async function compare(add: typeof withMarks): Promise<void> {
    const files = await look()
    const { progress, iterations } = counts
    if (files !== null) counts = { ...counts, progress: add(progress, [`files:${files}`], iterations) }
  }

  return {
    /**
     * Counts a call before it starts, since others may follow before then. Returns false if no call
     * is left. Actions after the last call still count.
     */
    asks(): boolean {
      if (isSpent()) stopSpent()
      else check()
      if (isOver || isStopped) return false
      counts = { ...counts, iterations: counts.iterations + 1 }
      return true
    },
    /** Uncounts a call that did not start. */
    refused(): void {
      counts = { ...counts, iterations: counts.iterations - 1 }
    },
    take(update: AgentUpdate): void {
      if (update.type !== 'tool' || ended.has(update.id)) return
      if (update.status !== 'completed' && update.status !== 'failed') return
      ended.add(update.id)
      if (countsTools) counts = { ...counts, iterations: counts.iterations + 1 }
      const fingerprint = markOf([update.kind, update.title, update.input, update.paths, saidBy(update)])
      const marks = update.status === 'completed' ? marksOf(update) : []
      const progress =
        own.withoutProgress === undefined
          ? counts.progress
          : withCall(counts.progress, { marks, fingerprint }, counts.iterations)
      const isKnown = update.input !== null || saidBy(update) !== ''
      // Two calls without details may differ.
      counts = { ...counts, progress, repeated: isKnown ? countRepeated(counts.repeated, fingerprint) : null }
      if (countsTools && isSpent()) stopSpent()
      else check()
    },
    /** The counts for the lane's record; a turn counts as one reply at least. */
    counts(): Counts {
      return { ...counts, iterations: Math.max(counts.iterations, lane.data.iterations + 1) }
    },
  }
}

function saidBy({ output }: ToolUpdate): string {
  return normalisedOutput(output ?? '')
}

/** The new facts that a call shows, as for the tools of a lane of Drydock's own. */
function marksOf(update: ToolUpdate): readonly string[] {
  const { kind, title, paths, input } = update
  const said = saidBy(update)
  switch (kind) {
    case 'edit':
    case 'delete':
    case 'move':
      return [`edit:${markOf([kind, paths, input, said])}`]
    case 'read':
      return [said === '' ? `asked:${markOf([title, paths, input])}` : `read:${markOf([paths, said])}`]
    case 'execute':
      return said === '' ? [] : [`said:${markOf(said)}`]
    case 'think':
      return []
    default:
      return [`asked:${markOf([kind, title, input])}`]
  }
}
