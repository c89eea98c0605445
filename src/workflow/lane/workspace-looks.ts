import type { LaneDependencies } from '../../agents/lane.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { isLookDue, isWorkspaceUnknown, type Look, standstillOf, withLook } from '../../domain/lane/progress.ts'

/**
 * Looks at workspaces in which commands have run, one at a time for each lane. A look runs beside
 * the lane's steps, and each step takes along the results so far. A look that is lost with its
 * process is repeated.
 */
export interface WorkspaceLooks {
  /** Starts a look during the lane's next request, if one is due. */
  begin(lane: Lane, context: Context): void
  /** The lane's data with the result of its look, if that has ended since. */
  taken<Data extends Lane['data']>(lane: string, data: Data): Data
  /**
   * Waits for a look at the files that the lane's commands have left, before the lane is stopped
   * for lack of progress.
   */
  last(lane: Lane, context: Context, signal: AbortSignal): Promise<Lane>
  /** Abandons running looks, before the sandboxes are closed. */
  end(): Promise<void>
}

type Context = Pick<LaneDependencies, 'editContext' | 'toolTimeoutSec'>

export function createWorkspaceLooks(): WorkspaceLooks {
  const found = new Map<string, Look>()
  const open = new Map<string, Promise<void>>()
  const ending = new AbortController()

  function begin(lane: Lane, context: Context): Promise<void> {
    const known = open.get(lane.id)
    if (known) return known
    const late = AbortSignal.timeout(context.toolTimeoutSec * 1_000)
    const looking = lookAt(lane, context, AbortSignal.any([late, ending.signal]))
      .then((look) => void (look && found.set(lane.id, look)))
      .catch(() => undefined) // The sandbox ended, or the look took too long: the next one is due later.
      .finally(() => open.delete(lane.id))
    open.set(lane.id, looking)
    return looking
  }

  function taken<Data extends Lane['data']>(lane: string, data: Data): Data {
    const look = found.get(lane)
    found.delete(lane)
    // The look is stale if the count has restarted in the meantime.
    const isOfThisCount = look !== undefined && look.at <= data.iterations
    return isOfThisCount ? { ...data, progress: withLook(data.progress, look) } : data
  }

  return {
    taken,
    begin(lane, context) {
      if (isLookDue(lane.data, lane.data.limits.withoutProgress)) void begin(lane, context)
    },
    async last(lane, context, signal) {
      let data = lane.data
      // A look that is still running may have started before the last command.
      for (let looks = 0; looks < 2 && isStopped(data) && isWorkspaceUnknown(data.progress); looks += 1) {
        await begin(lane, context)
        signal.throwIfAborted()
        data = taken(lane.id, data)
      }
      return { ...lane, data }
    },
    async end() {
      ending.abort()
      await Promise.all(open.values())
    },
  }
}

function isStopped(data: Lane['data']): boolean {
  return standstillOf(data, data.limits.withoutProgress) !== null
}

/** The runner answers from inside the sandbox, so its word only affects the lane's patience. */
async function lookAt(lane: Lane, { editContext }: Context, signal: AbortSignal): Promise<Look | null> {
  const { iterations, progress } = lane.data
  const { edits, commands, since } = progress.workspace
  const { session } = await editContext(signal)
  const reply = await session.request({ op: 'state', since: Date.parse(since ?? '') || 0 }, signal)
  return reply.ok ? { at: iterations, edits, commands, files: reply.value.sha256.slice(0, 16) } : null
}
