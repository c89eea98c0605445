import { randomUUID } from 'node:crypto'
import { actRoutes } from '../../../api/act-routes.ts'
import type { Command } from '../../../domain/command.ts'
import { limits } from '../../../domain/limits.ts'
import { isEnded, type Run } from '../../../domain/run/run.ts'
import { namesStories } from '../../../domain/run/run-policy.ts'
import { nameOf } from '../../../domain/story/name-of.ts'
import type { Story } from '../../../domain/story/story.ts'
import { storyTable } from '../../../domain/story/story-machine.ts'
import type { Records } from '../../../ports/store.ts'
import { namedModels } from '../../commands/check-models.ts'
import { namedMaxWait } from '../../commands/max-wait.ts'
import { overNamed } from '../../commands/named-options.ts'
import { reading } from '../../reading.ts'
import { usage } from '../../usage.ts'
import type { Work } from '../../views/find/find-work.ts'
import { find } from '../find.ts'
import { command } from '../operation.ts'
import { allowed } from '../refusals.ts'

type Retry = Extract<Command, { kind: 'retry' }>

const retried: readonly Run['state'][] = ['STUCK', 'INFRA_ERROR', 'NO_CHANGE', 'CANCELLED']

/**
 * A named story that ended without DONE and waits for an answer is answered; a cancelled one
 * continues. The stories of a crew are retried one by one.
 */
export const retry = command(actRoutes.retry, {
  may(run) {
    if (run.data.request.kind === 'task' && retried.includes(run.state)) return null
    const todo = isEnded(run.state) ? 'Start a new task: drydock task "…"' : 'Continue with: drydock resume'
    return usage(`${run.id} cannot be retried: it is ${run.state}.`, todo)
  },
  async run({ drydock, give }, { run: id, story, guidance = null, ...named }) {
    const work = await find(drydock, story === undefined ? id : `${id}/${story}`)
    const options = overNamed({}, named)
    const crew = work.run.data.policy.reviewer !== null
    const models = namedModels(drydock, options, { crew, before: work.run.data.models })
    const given = { guidance, models, ...namedMaxWait(drydock, options) }
    const again = await reading(drydock, (records) => retryWork(records, work, given))
    // An answer cannot name a model; what comes first is applied first.
    if (again.kind === 'reply' && models !== null)
      await drydock.submit(`resume/${randomUUID()}`, { kind: 'resume', run: work.run.id, models, keepsEnded: true })
    return give(again)
  },
})

/**
 * The command that retries a Run or one of its stories. A named story that ended without DONE and
 * waits for an answer is answered; a cancelled one continues. Throws DrydockError `bad_usage` when
 * neither is possible, and names the stories that can be retried.
 */
export async function retryWork(
  records: Records,
  { run, story }: Work,
  given: Pick<Retry, 'guidance' | 'models' | 'maxWaitSec'>,
): Promise<Retry | Extract<Command, { kind: 'reply' }>> {
  const { guidance, models } = given
  if (!namesStories(run)) {
    allowed(retry, run)
    return { kind: 'retry', run: run.id, ...given }
  }
  if (story === null ? run.state === 'CANCELLED' : story.state === 'CANCELLED') {
    await checkReopening(records, run)
    return { kind: 'retry', run: run.id, story: story?.story ?? null, guidance, models }
  }
  if (story === null) throw await wholeRun(records, run)
  if (!waitsForRetry(story)) {
    const todo =
      run.state === 'CANCELLED' ? `Retry the whole run: drydock retry ${run.id}` : `See: drydock status ${run.id}`
    throw usage(`${story.id} cannot be retried: it is ${story.state}.`, todo)
  }
  const text = ['retry', guidance?.trim()].filter(Boolean).join(' ')
  if (text.length > limits.chatChars) {
    throw usage(`The guidance has more than ${limits.chatChars} characters.`, 'Make it shorter.')
  }
  return { kind: 'reply', run: run.id, message: story.data.escalation, text }
}

/**
 * A Run that was cancelled before it had stories has nothing to continue; one at rest continues
 * as a whole first.
 */
async function checkReopening(records: Records, run: Run): Promise<void> {
  if (run.data.request.kind === 'interview')
    throw usage(`${run.id} was cancelled.`, 'Start the interview again: drydock spec "…" --again')
  if ((await records.machines({ kind: 'story', run: run.id })).length === 0) {
    throw usage(`${run.id} was cancelled before it had stories.`, 'Build the spec again: drydock run <spec> --again')
  }
  if (!canReopen(run)) {
    throw usage(`${run.id} is ${run.state}.`, `First: drydock resume ${run.id}`)
  }
}

async function wholeRun(records: Records, run: Run) {
  const stories = await records.machines({ kind: 'story', run: run.id })
  const open = stories.filter(waitsForRetry)
  const message = `${run.id} is the run of a whole spec (${run.state}). Retry its stories one by one.`
  if (open.length === 0) return usage(message, 'None of its stories can be retried now. See: drydock status')
  return usage(message, `You can retry: ${open.map(({ id }) => `drydock retry ${id}`).join(', ')}`)
}

type Asking = Story & { readonly data: { readonly escalation: string } }

/** A story that ended without DONE, and waits for a person to decide. */
function waitsForRetry(story: Story): story is Asking {
  return story.data.escalation !== null && 'retried' in storyTable[story.state] && story.state !== 'CANCELLED'
}

/** A cancelled story of a Run that works, or of one that was cancelled as a whole. */
function canReopen(run: Run): boolean {
  return run.state !== 'ERROR' && run.state !== 'PAUSED' && run.data.stopped === (run.state === 'CANCELLED')
}

/** True if `retry` takes this story now. */
export function canRetry(run: Run, story: Story): boolean {
  if (nameOf(story) === null) return retry.may?.(run) === null
  return story.state === 'CANCELLED' ? canReopen(run) : waitsForRetry(story)
}
