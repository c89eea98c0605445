import type { Command } from '../../domain/command.ts'
import { limits } from '../../domain/limits.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import { namesStories } from '../../domain/run/run-policy.ts'
import type { Records } from '../../ports/store.ts'
import { canReopen, possibleWith, waitsForRetry } from '../possible.ts'
import { usage } from '../usage.ts'
import type { Work } from '../views/find/find-work.ts'

type Retry = Extract<Command, { kind: 'retry' }>

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
    if (possibleWith(run).retry) return { kind: 'retry', run: run.id, ...given }
    const todo = isEnded(run.state) ? 'Start a new task: drydock task "…"' : 'Continue with: drydock resume'
    throw usage(`${run.id} cannot be retried: it is ${run.state}.`, todo)
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
 * One that was cancelled before it had stories has nothing to go on with; one that rests goes on as
 * a whole first.
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
