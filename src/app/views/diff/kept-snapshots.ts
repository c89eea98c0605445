import { numberOfRef, snapshotRefs } from '../../../domain/run/kept-work.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { type FoundStory, findStory, type StoryQuery } from '../find/find-story.ts'

/** One snapshot of a story, as people select it. */
export interface KeptSnapshot {
  readonly n: number
  readonly sha: string
  /** The commit that the snapshot was made on. */
  readonly parent: string
  /** An ISO 8601 time. */
  readonly at: string
  /** The reason why the snapshot was made. */
  readonly why: string
}

/** A story with all snapshots that are kept of it. */
export interface KeptWork extends FoundStory {
  readonly snapshots: readonly KeptSnapshot[]
  /** Folders with files that a snapshot could not hold. */
  readonly aside: readonly string[]
}

/** The kept snapshots of the wanted story. Throws DrydockError `not_found`. */
export async function readKept(
  drydock: Pick<Installation, 'repository' | 'history' | 'workTrees'> & RecordSource,
  wanted: Pick<StoryQuery, 'id' | 'inRun'>,
): Promise<KeptWork> {
  const { repository, workTrees } = drydock
  const found = await reading(drydock, (records) => findStory(records, { ...wanted, repository }))
  const aside = (await workTrees.setAside(snapshotRefs(found.story.id))).map(({ folder }) => folder)
  return { ...found, snapshots: await keptSnapshots(drydock, found.story), aside }
}

/** The existing snapshots, oldest first. A snapshot that repeats its predecessor is left out. */
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

/** The number of files in which a snapshot differs from its parent commit. */
export async function filesChanged(
  { history }: Pick<Installation, 'history'>,
  { parent, sha }: KeptSnapshot,
): Promise<number> {
  return (await history.changedFiles(parent, sha)).length
}
