import { limits } from '../../domain/limits.ts'
import type { Remark } from '../../domain/remark/remark.ts'
import { findingOf, placeText } from '../../domain/remark/remark-findings.ts'
import type { Review, Story, StoryData } from '../../domain/story/story.ts'
import { endStates } from '../../domain/story/story-machine.ts'
import { capText } from '../../domain/text.ts'
import type { Records, Transaction } from '../../ports/store.ts'

/**
 * True if a remark can still hold the story. A story that is being merged may be on the branch
 * already, so its remarks wait for the end of the Run, or until the story is sent back.
 */
export function canHold({ state, data }: Pick<Story, 'state' | 'data'>): boolean {
  const at = state === 'PAUSED' ? data.pausedIn : state
  return !endStates.includes(state) && at !== 'MERGING' && !data.dryRun
}

/** Adds the missing ones of these remarks to the story's reviews, as findings that hold it. */
export function withRemarks(
  { reviews, requests }: Pick<StoryData, 'reviews' | 'requests'>,
  remarks: readonly Remark[],
): StoryData['reviews'] {
  const { code } = reviews
  const known = new Set(code.findings.map(({ id }) => id))
  const fresh = remarks.filter(({ data }) => !known.has(data.finding))
  const findings: Review['findings'] = [
    ...code.findings,
    ...fresh.map(({ data }) => findingOf(data, requests.code + 1)),
  ]
  return { ...reviews, code: { ...code, findings } }
}

/** The remarks on a story that nobody works on yet. */
export async function waitingFor(
  records: Records,
  { run, story }: Pick<Story, 'run' | 'story'>,
): Promise<readonly Remark[]> {
  const open = await records.machines({ kind: 'remark', run, states: ['OPEN'] })
  return open.filter((remark) => remark.story === story && remark.data.followUp === null)
}

/**
 * Attaches the remarks that people made during the merge, now that the story is back with its
 * editor.
 */
export async function attachWaiting(tx: Transaction, story: Story): Promise<Story> {
  const waiting = await waitingFor(tx, story)
  return waiting.length === 0 ? story : tx.edit(story, { reviews: withRemarks(story.data, waiting) })
}

/** Posts a remark to the thread of its story, for people. The editor gets the full text. */
export async function postRemark(
  tx: Transaction,
  { run, story, data }: Pick<Remark, 'run' | 'story' | 'data'>,
): Promise<string> {
  const where = placeText(data)
  const said = `${data.finding}, a remark by ${data.author}${where === '' ? '' : ` on ${where}`}:\n${data.text}`
  const content = capText(said, limits.chatChars - limits.cutNotice)
  const { id } = await tx.postMessage({
    agent_id: 'human',
    content,
    reply_to: null,
    post_type: 'chat',
    run,
    story,
  })
  await tx.appendEvent({ run, story, type: 'chat', data: { id, agent_id: 'human' } })
  return id
}
