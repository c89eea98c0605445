import { numberOfRef, snapshotRefs } from '../../../domain/run/kept-work.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { type FoundStory, findStory, type StoryQuery } from '../find/find-story.ts'

/** One snapshot of a story, as people choose it. */
export interface KeptSnapshot {
  readonly n: number
  readonly sha: string
  /** The commit that it stands on. */
  readonly parent: string
  /** ISO 8601. */
  readonly at: string
  /** What it was made for. */
  readonly why: string
}

/** A story with all that is kept of it. */
export interface KeptWork extends FoundStory {
  readonly snapshots: readonly KeptSnapshot[]
  /** Folders with what no snapshot could hold. */
  readonly aside: readonly string[]
}

/** The kept work of the wanted story. Throws DrydockError `not_found`. */
export async function readKept(
  drydock: Pick<Installation, 'repository' | 'history' | 'workTrees'> & RecordSource,
  wanted: Pick<StoryQuery, 'id' | 'inRun'>,
): Promise<KeptWork> {
  const { repository, workTrees } = drydock
  const found = await reading(drydock, (records) => findStory(records, { ...wanted, repository }))
  const aside = (await workTrees.setAside(snapshotRefs(found.story.id))).map(({ folder }) => folder)
  return { ...found, snapshots: await keptSnapshots(drydock, found.story), aside }
}

/** Those that are there, oldest first; what was kept again unchanged is listed once. */
async function keptSnapshots(
  { history }: Pick<Installation, 'history'>,
  story: Story,
): Promise<readonly KeptSnapshot[]> {
  const kept = new Map<string, KeptSnapshot>()
  for (const { ref, sha, parent, at, subject } of await history.hidden(snapshotRefs(story.id))) {
    const [, why = ''] = subject.split(`${story.id}: `)
    if (!kept.has(sha)) kept.set(sha, { n: numberOfRef(ref), sha, parent: parent ?? sha, at, why })
  }
  return [...kept.values()]
}

/** How many files a snapshot changes of the commit that it stands on. */
export async function filesChanged(
  { history }: Pick<Installation, 'history'>,
  { parent, sha }: KeptSnapshot,
): Promise<number> {
  return (await history.changedFiles(parent, sha)).length
}
