import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { newRemarksSchema } from '../../api/remarks.ts'
import type { DeepReadonly } from '../../api/route.ts'
import type { NewRemark, RemarkSource, RemarkState } from '../../domain/remark/remark.ts'
import { usage } from '../usage.ts'
import type { RemarkNow } from '../views/remarks.ts'

export type GivenRemarks = DeepReadonly<z.output<typeof newRemarksSchema>>

interface Giver {
  readonly source: RemarkSource
  /** Who makes remarks that name nobody. */
  readonly author: string
  /** The remarks that there are. */
  readonly known: readonly Pick<RemarkNow, 'key' | 'state'>[]
}

/**
 * Remarks as a person has given them. Without a key, the same words about the same lines are one;
 * said again after an answer, or when the work on them got stuck, they insist.
 */
export function givenRemarks(given: GivenRemarks, { source, author: user, known }: Giver): readonly NewRemark[] {
  return given.map(({ text, path, start, end, side, hunk, author = user, key }) => {
    const lines = { start: start ?? null, end: end ?? start ?? null, side }
    const place = path === undefined ? null : { path, ...lines, hunk: hunk ?? null }
    const said = JSON.stringify([place?.path, lines, text])
    return { key: key ?? keyOf(said, known), author, source, place, text }
  })
}

function keyOf(said: string, known: Giver['known']): string {
  const hash = createHash('sha256').update(said).digest('hex')
  const ended = new Set(known.flatMap(({ key, state }) => (insistable.includes(state) ? [key] : [])))
  let key = hash
  for (let n = 2; ended.has(key); n += 1) key = `${hash}-${n}`
  return key
}

const insistable: readonly RemarkState[] = ['ANSWERED', 'STUCK', 'REFUSED']

/** The remarks of a JSON file. DrydockError `bad_usage`. */
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

/** `PATH`, `PATH:LINE`, `PATH:FIRST-LAST`, or `.` for the whole change. */
export function placeOf(word: string): { readonly path?: string; readonly start?: number; readonly end?: number } {
  if (word === '.') return {}
  const [, path = word, first, last = first] = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(word) ?? []
  return { path, ...(first !== undefined && { start: Number(first), end: Number(last) }) }
}
