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
  /** Replies of this turn in a process that has ended. */
  readonly seen: number
  /** Its agent has no gateway: what it is seen to do stands for the replies of its model. */
  readonly countsTools: boolean
  /** A fingerprint of the files in the workspace; null when none can be had. */
  readonly look: () => Promise<string | null>
  /** Told once. */
  readonly onStop: (stop: LaneStop) => void
}

/**
 * The guards of a lane over one turn of a foreign agent, as far as it can be seen: the number of
 * its replies, the same call again and again, and nothing new.
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

  /** A look that is under way may know a better reason: that it had come to nothing before. */
  function stopSpent(): void {
    isOver = true
    if (!isLooking) stop('iteration_limit')
  }

  /**
   * What it does not speak of shows in the files: if they have changed since the look before, the
   * count begins anew. So it does with the first look, for nobody knows what came before; one that
   * has used up its calls gets no more of them, and is told what two looks say.
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
     * It wants to ask its model. Counts at once, since others may follow before the call begins;
     * false when no call is left. What it does with the last one still counts.
     */
    asks(): boolean {
      if (isSpent()) stopSpent()
      else check()
      if (isOver || isStopped) return false
      counts = { ...counts, iterations: counts.iterations + 1 }
      return true
    },
    /** The call did not begin. */
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
      // Two calls of which nothing is known may differ.
      counts = { ...counts, progress, repeated: isKnown ? countRepeated(counts.repeated, fingerprint) : null }
      if (countsTools && isSpent()) stopSpent()
      else check()
    },
    /** As the lane keeps them; a turn counts as one reply at least. */
    counts(): Counts {
      return { ...counts, iterations: Math.max(counts.iterations, lane.data.iterations + 1) }
    },
  }
}

function saidBy({ output }: ToolUpdate): string {
  return normalisedOutput(output ?? '')
}

/** What a call shows that is new, as for the tools of a lane of Drydock's own. */
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
