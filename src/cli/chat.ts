import { randomUUID } from 'node:crypto'
import type { StateReader } from '../compose.ts'
import { limits } from '../domain/limits.ts'
import { hasCrew, isEnded, type Run } from '../domain/run/run.ts'
import type { Story } from '../domain/story/story.ts'
import type { CommonOptions, Context } from './context.ts'
import { findWork, type Work } from './find-run.ts'
import { handOver } from './hand-over.ts'
import { open } from './open.ts'
import { openEscalations } from './open-escalations.ts'
import { reading } from './reading.ts'
import { sayHandedOver } from './say-handed-over.ts'
import { threadLines } from './screen/thread.ts'
import { usage } from './usage.ts'

interface ChatOptions {
  readonly story?: string
  readonly post?: string
}

/** Shows what was said in a Run, or says something to it or to one of its stories. */
export async function chat(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & ChatOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const { run, story } = await reading(drydock, (records) => findThread(records, id, options.story))
  if (options.post === undefined) {
    await reading(drydock, (records) => show(context, records, { run, story }))
    return 0
  }
  const text = checkText(options.post)
  if (isEnded(run.state)) throw usage(`${run.id} has ended: nobody reads it.`, 'See: drydock report')
  const name = story?.story ?? null
  const handed = await handOver(drydock, `post/${randomUUID()}`, { kind: 'post', run: run.id, story: name, text })
  context.output.emit({ type: 'post', run: run.id, story: name })
  sayHandedOver(context, handed)
  return 0
}

/** A text that a chat can hold. DrydockError `bad_usage`. */
export function checkText(given: string): string {
  const text = given.trim()
  if (text === '') throw usage('The message is empty.', 'Say something in it.')
  if (text.length <= limits.chatChars) return text
  throw usage(`The message has ${text.length} characters, more than ${limits.chatChars}.`, 'Make it shorter.')
}

async function findThread(records: StateReader | null, id: string | undefined, name?: string): Promise<Work> {
  const { run, story } = await findWork(records, id, hasCrew)
  const only = hasCrew(run) ? story : null
  return name === undefined ? { run, story: only } : findWork(records, `${run.id}/${name}`)
}

interface Thread {
  readonly run: Run
  readonly story: Story | null
}

async function show({ output }: Context, records: StateReader | null, { run, story }: Thread): Promise<void> {
  const only = story?.story ?? null
  const messages = (await records?.chat({ run: run.id, ...(only !== null && { story: only }) })) ?? []
  const asked = records ? await openEscalations(records, run) : []
  const waiting = new Set(asked.map(({ message }) => message.id))
  for (const message of messages) output.emit({ type: 'message', ...message, open: waiting.has(message.id) })
  if (output.json) return
  if (messages.length === 0) output.say(`Nothing has been said in ${only === null ? run.id : story?.id} yet.`)
  else output.say(threadLines(output.screen, messages, waiting))
}
