import type { Drydock } from '../../compose.ts'
import { numberOfRef, snapshotRefs } from '../../domain/run/kept-work.ts'
import type { Story } from '../../domain/story/story.ts'

/** One snapshot of a story, as people choose it. */
export interface KeptSnapshot {
  readonly n: number
  readonly sha: string
  /** ISO 8601. */
  readonly at: string
  /** What it was made for. */
  readonly why: string
}

/** Those that are there, oldest first; what was kept again unchanged is listed once. */
export async function keptSnapshots({ workspaces }: Drydock, story: Story): Promise<readonly KeptSnapshot[]> {
  const kept = new Map<string, KeptSnapshot>()
  for (const { ref, sha, at, subject } of await workspaces.hidden(snapshotRefs(story.id))) {
    const [, why = ''] = subject.split(`${story.id}: `)
    if (!kept.has(sha)) kept.set(sha, { n: numberOfRef(ref), sha, at, why })
  }
  return [...kept.values()]
}

/** How many files a snapshot changes of the commit that it stands on. */
export async function filesChanged({ workspaces }: Drydock, { sha }: KeptSnapshot): Promise<number> {
  return (await workspaces.changedFiles(`${sha}^`, sha)).length
}
