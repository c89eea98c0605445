import { limits } from '../../../domain/limits.ts'
import { lookRefs } from '../../../domain/run/kept-work.ts'
import { slotId } from '../../../domain/slot/slot.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { StoryState } from '../../../domain/story/story-machine.ts'
import { shownHost } from '../../../domain/worker/worker-name.ts'
import type { WorkTrees } from '../../../ports/work-trees.ts'
import type { ViewSources } from '../view-sources.ts'

/** The states in which a story's editor may change the files of its workspace. */
const atWork: readonly StoryState[] = ['CODING', 'QUESTION', 'BUDGET_REVIEW']

/**
 * Returns the SHA of a snapshot of the story's workspace. Concurrent calls for one story share a
 * snapshot.
 */
export type LiveSnapshots = (story: Story) => Promise<string | null>

type Sources = Pick<ViewSources, 'records' | 'now' | 'sleep' | 'history'> & {
  readonly workTrees: Pick<WorkTrees, 'snapshot'>
}

/**
 * Commits the current files of a story's workspace to hidden refs, apart from the story's own
 * snapshots. Null if no editor works there, or if git cannot take a snapshot now. After each
 * snapshot there is a pause of several times its duration, so that snapshots of a large workspace
 * do not slow down its editor.
 */
export function createLiveSnapshots(sources: Sources): LiveSnapshots {
  const running = new Map<string, Promise<string | null>>()
  const restUntil = new Map<string, number>()

  async function look(story: Story): Promise<string | null> {
    if (story.data.slot === null || !atWork.includes(story.state)) return null
    const slot = await sources.records.machineOf('slot', slotId(story.data.slot))
    // A worker pushes snapshots of its workspaces to the hub.
    if (slot !== null && shownHost(slot.data.host) !== null)
      return (await sources.history.hidden(lookRefs(story.id))).at(-1)?.sha ?? null
    const restMs = (restUntil.get(story.id) ?? 0) - sources.now().getTime()
    if (restMs > 0) await sources.sleep(restMs)
    const start = sources.now().getTime()
    try {
      return await take(sources, story)
    } finally {
      const end = sources.now().getTime()
      restUntil.set(story.id, end + limits.dashboard.lookRest * (end - start))
    }
  }

  return (story) => {
    const known = running.get(story.id)
    if (known) return known
    const taken = look(story).finally(() => running.delete(story.id))
    running.set(story.id, taken)
    return taken
  }
}

async function take({ records, workTrees, now }: Sources, story: Story): Promise<string | null> {
  const { slot, base, snapshot: last, merging } = story.data
  if (slot === null) return null
  const result = await workTrees.snapshot(
    {
      slot,
      ref: `${lookRefs(story.id)}now`,
      last: last?.sha ?? null,
      at: now(),
      parents: merging === null ? [base] : [base, merging.candidate],
      message: `A look at ${story.id}\n`,
    },
    AbortSignal.timeout(limits.dashboard.lookMs),
  )
  // The workspace may have been given to another story during the snapshot.
  const since = await records.machineOf('story', story.id)
  const isStill = since?.data.slot === slot && since.data.base === base && atWork.includes(since.state)
  return result.ok && isStill ? result.snapshot.sha : null
}
