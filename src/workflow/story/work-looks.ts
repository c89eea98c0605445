import { backoffMs } from '../../domain/backoff.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { lookRefs, snapshotRefs } from '../../domain/run/kept-work.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { storyOf } from '../machines.ts'
import type { Share } from '../share.ts'
import { snapshotMessage } from './snapshot.ts'
import { isElsewhere } from './workspace.ts'

type Deps = Pick<WorkflowDependencies, 'store' | 'workTrees' | 'clock' | 'engine'> & {
  readonly share: Pick<Share, 'untilReached'>
}

/**
 * Saves the editors' present work to a worker's hub while they work, so that a lost host only loses
 * the changes since then.
 */
export interface WorkLooks {
  /** Called after each step of a lane. */
  after(lane: string): void
  /** Waits for running looks, and starts no more. */
  end(): Promise<void>
}

/**
 * A rest of several times a look's length, up to a limit, separates two looks at a workspace. A
 * look waits for its hub, and a failed one is repeated.
 */
export function createWorkLooks(deps: Deps): WorkLooks {
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const ending = new AbortController()

  async function look(id: string): Promise<void> {
    let failures = 0
    do {
      await deps.share.untilReached?.(ending.signal)
      again.delete(id)
      const start = deps.clock.now().getTime()
      const isTaken = await take(deps, id, ending.signal).catch((error: unknown) => {
        // If only the hub was unreachable, the next look is as likely to succeed as ever.
        failures = error instanceof DrydockError && error.code === 'hub_unreachable' ? 1 : failures + 1
        return false
      })
      if (isTaken) failures = 0
      else again.add(id)
      const tookMs = deps.clock.now().getTime() - start
      const restMs = isTaken
        ? Math.min(limits.dashboard.lookRest * tookMs, limits.workLook.longestRestMs)
        : backoffMs(limits.workLook, failures, deps.clock.random())
      await deps.clock.sleep(restMs, { signal: ending.signal, keepsAlive: false })
    } while (again.has(id))
  }

  return {
    after(id) {
      again.add(id)
      if (running.has(id) || ending.signal.aborted) return
      const looking = look(id)
        .catch(() => undefined)
        .finally(() => running.delete(id))
      running.set(id, looking)
    },
    async end() {
      ending.abort()
      await Promise.all(running.values())
    },
  }
}

/** True also if there is nothing to look at. */
async function take(deps: Deps, id: string, signal: AbortSignal): Promise<true> {
  const lane = await deps.store.machineOf('lane', id)
  if (lane === null || lane.data.role !== 'editor_coding') return true
  const story = await storyOf(deps.store, lane)
  if (story === null || story.state !== 'CODING' || story.data.slot === null) return true
  const { slot, snapshot: last } = story.data
  if (await isElsewhere(deps, slot)) return true
  await deps.workTrees.snapshot(
    {
      slot,
      ref: `${lookRefs(story.id)}now`,
      last: last?.sha ?? null,
      at: deps.clock.now(),
      parents: parentsOf(story),
      message: `${lookTitle(story)}\n`,
    },
    AbortSignal.any([signal, AbortSignal.timeout(limits.dashboard.lookMs)]),
  )
  return true
}

function parentsOf({ data: { base, merging } }: Story): readonly string[] {
  return merging === null ? [base] : [base, merging.candidate]
}

/**
 * Distinguishes a look from those of an earlier try, and from those before the story's last
 * snapshot.
 */
function lookTitle({ run, data: { name, snapshots } }: Story): string {
  return `A look at ${name} of ${run} after snapshot ${snapshots}`
}

/**
 * The newest look at a lost workspace, as the story's next snapshot; null if its last snapshot is
 * as new.
 */
export async function keepLastLook(
  { history }: Pick<WorkflowDependencies, 'history'>,
  story: Story,
): Promise<Pick<StoryData, 'snapshot' | 'snapshots'> | null> {
  const look = (await history.hidden(lookRefs(story.id))).at(-1)
  const { snapshot, snapshots } = story.data
  // Timestamps cannot decide which one is newer, since different machines made them.
  if (look === undefined || look.subject !== lookTitle(story) || look.tree === snapshot?.tree) return null
  for (const parent of parentsOf(story)) if (!(await history.isAncestor(parent, look.sha))) return null
  const n = snapshots + 1
  const sha = await history.commit({
    tree: look.tree,
    parents: parentsOf(story),
    at: new Date(look.at),
    message: snapshotMessage(story, n, 'its host was lost'),
    ref: `${snapshotRefs(story.id)}${n}`,
  })
  return { snapshot: { sha, tree: look.tree }, snapshots: n }
}
