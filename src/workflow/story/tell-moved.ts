import type { Lane } from '../../domain/lane/lane.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import { tellStory } from '../chat/tell-story.ts'

/**
 * Tells a story's editor and people which work is present and which is lost, after its host
 * disappeared and it got a new workspace. Returns the fields that the story stores about it.
 */
export async function tellMoved(tx: Transaction, { run, story, data }: Story): Promise<Pick<StoryData, 'lossTold'>> {
  const moved = data.pending?.moved
  if (moved === undefined) return {}
  const snapshot = data.snapshot?.sha ?? null
  await tx.appendEvent({ run, story, type: 'workspace_moved', data: { ...moved, snapshot } })
  const content = moved.lost ? lostText(moved.from, data) : movedText(moved.from)
  const id = await tellStory(tx, { run, story }, content)
  return moved.lost ? { lossTold: id } : {}
}

/** True if the lane has not been asked since it was told about the lost work. */
export function isLossUnheard({ data: { heard } }: Lane, { data: { lossTold } }: Story): boolean {
  return lossTold !== undefined && Number(heard ?? 0) < Number(lossTold)
}

const gone = 'Files that git ignores and commands in the background are gone.'

function movedText(host: string): string {
  return `The workspace has moved from ${host} to another machine, with every file that git does not ignore. ${gone}`
}

function lostText(host: string, { snapshot, snapshots }: StoryData): string {
  const kept =
    snapshot === null
      ? 'Nothing of the workspace was kept before, so it begins again with the files of the base commit.'
      : `The workspace is on another machine now, with the files of snapshot ${snapshots} (${snapshot.sha.slice(0, 12)}). What was written later is lost.`
  return `The machine ${host} is gone. ${kept} ${gone} Look at the files before you continue.`
}
