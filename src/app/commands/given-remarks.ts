import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { newRemarksSchema } from '../../api/remarks.ts'
import type { DeepReadonly } from '../../api/route.ts'
import { limits } from '../../domain/limits.ts'
import type { NewRemark, RemarkSource, RemarkState, RemarkThread } from '../../domain/remark/remark.ts'
import { usage } from '../usage.ts'
import type { RemarkNow } from '../views/remarks.ts'

export type GivenRemarks = DeepReadonly<z.output<typeof newRemarksSchema>>

type RemarkText = Pick<RemarkNow, 'id' | 'key' | 'state' | 'author' | 'text' | 'reply' | 'inReplyTo'>

interface Giver {
  readonly source: RemarkSource
  /** The author of remarks that name none. */
  readonly author: string
  /** The stored remarks, which replies refer to. */
  readonly known: readonly RemarkText[]
}

/**
 * Converts remarks as a person wrote them. Without a key, the same words about the same lines are
 * one remark. Repeating them after an answer, or after the work got stuck, makes a further request.
 * Throws DrydockError `bad_usage` for a reply to an unknown remark.
 */
export function givenRemarks(given: GivenRemarks, { source, author: user, known }: Giver): readonly NewRemark[] {
  return given.map(({ text, path, start, end, side, hunk, author = user, reply_to: asked, key }) => {
    const lines = { start: start ?? null, end: end ?? start ?? null, side }
    const place = path === undefined ? null : { path, ...lines, hunk: hunk ?? null }
    const thread = asked === undefined ? {} : { inReplyTo: threadOf(asked, known) }
    const said = JSON.stringify([place?.path, lines, text, ...(thread.inReplyTo ? [thread.inReplyTo.finding] : [])])
    return { key: key ?? keyOf(said, known), author, source, place, text, ...thread }
  })
}

/** The newest message of the thread that a reply answers. */
function threadOf(asked: string, known: readonly RemarkText[]): RemarkThread {
  const answered = known.find(({ id }) => id === asked)
  if (answered === undefined)
    throw usage(`There is no remark ${asked} to reply to.`, 'See the remarks: drydock review <run>')
  const finding = answered.inReplyTo?.finding ?? asked
  const thread = known.filter(({ id, inReplyTo }) => id === finding || inReplyTo?.finding === finding)
  const said = thread.flatMap(({ author, text, reply }) => [
    `${author}: ${text}`,
    ...(reply === null ? [] : [`The editor: ${reply}`]),
  ])
  return { finding, said: said.join('\n').slice(-limits.remark.threadChars) }
}

function keyOf(said: string, known: Giver['known']): string {
  const hash = createHash('sha256').update(said).digest('hex')
  const ended = new Set(known.flatMap(({ key, state }) => (insistable.includes(state) ? [key] : [])))
  let key = hash
  for (let n = 2; ended.has(key); n += 1) key = `${hash}-${n}`
  return key
}

const insistable: readonly RemarkState[] = ['ANSWERED', 'STUCK', 'REFUSED']

/** Parses the remarks of a JSON file. Throws DrydockError `bad_usage`. */
export function remarksOfFile(name: string, text: string): GivenRemarks {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw usage(`${name} is not JSON: ${error instanceof Error ? error.message : error}`, shape)
  }
  const parsed = newRemarksSchema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw usage(`${name}: ${issue?.path.join('.')} ${issue?.message}`.replace(':  ', ': '), shape)
}

const shape = 'It holds a list: [{ "path": "src/a.ts", "start": 10, "end": 12, "text": "…" }]'

/** Parses `PATH`, `PATH:LINE`, `PATH:FIRST-LAST`, or `.` for the whole change. */
export function placeOf(word: string): { readonly path?: string; readonly start?: number; readonly end?: number } {
  if (word === '.') return {}
  const [, path = word, first, last = first] = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(word) ?? []
  return { path, ...(first !== undefined && { start: Number(first), end: Number(last) }) }
}
