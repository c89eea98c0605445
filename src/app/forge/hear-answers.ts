import { DrydockError } from '../../domain/drydock-error.ts'
import type { Comment, Place } from '../../ports/forge.ts'
import { actsOf } from '../operations/acts-of.ts'
import { isOurs, rowOf } from './create-once.ts'
import type { RunNow } from './run-now.ts'
import { placeOf, type Watching } from './watching.ts'

/** Matches `drydock reply 12 round half up`, the words of the command line. */
const pattern = /^\s*drydock\s+reply\s+(\d{1,12})\b[\s:,]*(\S[\s\S]*)$/i

/**
 * Answers the open questions of a Run from comments of people with write access. Each comment is
 * used once.
 */
export async function hearAnswers(
  watching: Watching,
  place: Place,
  { id: run, questions, calls }: RunNow,
): Promise<void> {
  if (questions.length === 0) return
  const open = new Set(questions.map(({ message }) => message.id))
  const first = calls.find(({ call, key }) => call === 'comment' && key.includes(`/${place.type}/${place.number}/`))
  // Only comments after the one with the question can answer it. The margin of a day allows for
  // clocks that differ.
  const since = new Date(first === undefined ? 0 : Date.parse(first.startedAt) - 86_400_000)
  for (const comment of await watching.forge.comments(place, since)) {
    const [, question = '', text = ''] = isOurs(comment) ? [] : (pattern.exec(comment.text) ?? [])
    if (!open.has(question)) continue
    if (await hear(watching, { place, run, comment, question, text: text.trim() })) open.delete(question)
  }
}

interface AnswerInput {
  readonly place: Place
  readonly run: string
  readonly comment: Comment
  readonly question: string
  readonly text: string
}

/** Returns true if the question is answered now. */
async function hear(watching: Watching, { place, run, comment, question, text }: AnswerInput): Promise<boolean> {
  const { drydock, forge, calls, mayWrite, say } = watching
  const { id, author } = comment
  const key = `hearAnswer/${placeOf(forge)}${place.type}/${place.number}/${id}`
  const row = await rowOf(calls, run, key)
  if (row !== null && row.finishedAt !== null) return false
  if (!(await mayWrite(author))) return false
  await calls.startForgeCall({ key, run, call: 'hearAnswer', request: { author, question } })
  try {
    await (await actsOf(drydock, { key })).reply({ id: question, text })
    await calls.finishForgeCall(key, { used: true })
    say({ what: 'answer', text: `${author} has answered question ${question}.`, run, number: place.number })
    return true
  } catch (error) {
    if (!(error instanceof DrydockError) || !['bad_usage', 'already_done'].includes(error.code)) throw error
    await calls.finishForgeCall(key, { refused: `${error.message} ${error.todo}` })
    return false
  }
}
