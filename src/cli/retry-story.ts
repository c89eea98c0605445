import type { StateReader } from '../compose.ts'
import type { Command } from '../domain/command.ts'
import { limits } from '../domain/limits.ts'
import type { Run } from '../domain/run.ts'
import type { Story } from '../domain/story.ts'
import { storyTable } from '../domain/story-machine.ts'
import type { Work } from './find-run.ts'
import { usage } from './usage.ts'

/**
 * Retrying a story of a crew answers the question that its end has opened. DrydockError `bad_usage` for one that has not ended so, and for a whole Run,
 * with its stories that can be retried.
 */
export async function retryReply(
  records: StateReader | null,
  { run, story }: Work,
  guidance: string | null,
): Promise<Extract<Command, { kind: 'reply' }>> {
  if (story === null) throw await wholeRun(records, run)
  if (!waitsForRetry(story)) {
    throw usage(`${story.id} cannot be retried: it is ${story.state}.`, `See: drydock status ${run.id}`)
  }
  const text = ['retry', guidance?.trim()].filter(Boolean).join(' ')
  if (text.length > limits.chatChars) {
    throw usage(`The guidance has more than ${limits.chatChars} characters.`, 'Make it shorter.')
  }
  return { kind: 'reply', run: run.id, message: story.data.escalation, text }
}

async function wholeRun(records: StateReader | null, run: Run) {
  const stories = ((await records?.machines({ kind: 'story', run: run.id })) ?? []) as readonly Story[]
  const open = stories.filter(waitsForRetry)
  const message = `${run.id} is the run of a whole spec (${run.state}); its stories are retried one by one.`
  if (open.length === 0) return usage(message, 'None of its stories can be retried now. See: drydock status')
  return usage(message, `These can be: ${open.map(({ id }) => `drydock retry ${id}`).join(', ')}`)
}

type Asking = Story & { readonly data: { readonly escalation: string } }

function waitsForRetry(story: Story): story is Asking {
  return story.data.escalation !== null && 'retried' in storyTable[story.state] && story.state !== 'CANCELLED'
}
