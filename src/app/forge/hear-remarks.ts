import { limits } from '../../domain/limits.ts'
import { plainText } from '../../domain/plain-text.ts'
import type { NewRemark } from '../../domain/remark/remark.ts'
import { remarkSize } from '../../domain/remark/remark-findings.ts'
import type { Comment, Forge } from '../../ports/forge.ts'
import { giveReview } from '../operations/act/submit-review.ts'
import { reading } from '../reading.ts'
import { readRemarks } from '../views/remarks.ts'
import { isOurs } from './create-once.ts'
import type { OpenChange } from './open-changes.ts'
import { placeOf, type Watching } from './watching.ts'

/** Matches a comment that is not on a line but asks for a remark, also an answer below a line. */
const pattern = /^\s*drydock\s+review\b[\s:,]*(\S[\s\S]*)$/i

/** Turns new comments on lines of a change into remarks, if their authors have write access. */
export async function hearRemarks(watching: Watching, change: OpenChange): Promise<void> {
  const { forge, mayWrite } = watching
  const place = { type: 'change', number: change.number } as const
  const since = new Date(Date.parse(change.row.startedAt) - 86_400_000)
  const known = await keysOf(watching, change.run)
  const heard: NewRemark[] = []
  for (const comment of await forge.comments(place, since)) {
    const key = remarkKey(forge, change.number, comment.id)
    const text = wordsOf(comment)
    if (text === null || known.has(key) || !(await mayWrite(comment.author))) continue
    heard.push({ ...remarkOf(forge, change, comment), key, text })
  }
  await submit(watching, change, heard)
}

/** Submits remarks, each once: remarks whose key the Run already has are left out. */
export async function submit(
  watching: Watching,
  { run, number }: OpenChange,
  remarks: readonly NewRemark[],
): Promise<void> {
  const { drydock, say } = watching
  for (const some of batchesOf(remarks)) {
    await giveReview(drydock, { id: run, remarks: some })
    for (const { author } of some) say({ what: 'remark', text: `A remark by ${author} is worked on.`, run, number })
  }
}

/** Splits remarks into batches of the size that can be submitted together. */
function batchesOf(remarks: readonly NewRemark[]): readonly (readonly NewRemark[])[] {
  const { batch, taskChars } = limits.remark
  const batches: NewRemark[][] = []
  let size = 0
  for (const remark of remarks) {
    const last = batches.at(-1)
    size += remarkSize(remark)
    if (last !== undefined && last.length < batch && size <= taskChars) last.push(remark)
    else {
      batches.push([remark])
      size = remarkSize(remark)
    }
  }
  return batches
}

async function keysOf({ drydock }: Pick<Watching, 'drydock'>, run: string): Promise<ReadonlySet<string>> {
  const known = await reading(drydock, (records) => readRemarks(records, run))
  return new Set(known.map(({ key }) => key))
}

function remarkKey(forge: Forge, change: number, comment: string): string {
  return `forge/${placeOf(forge)}${change}/${comment}`
}

function wordsOf(comment: Comment): string | null {
  if (isOurs(comment)) return null
  const [, told] = pattern.exec(comment.text) ?? []
  const words = told ?? (comment.line !== null && !comment.isAnswer ? comment.text : '')
  return plainText(words, limits.forge.textChars).trim() === '' ? null : words
}

function remarkOf(
  { name }: Forge,
  { number }: OpenChange,
  { id, author, line }: Comment,
): Pick<NewRemark, 'author' | 'source' | 'place'> {
  const source = { kind: 'forge', forge: name, change: number, comment: id } as const
  if (line === null) return { author, source, place: null }
  const { path, number: at, hunk } = line
  return { author, source, place: { path, start: at, end: at, side: 'new', hunk: hunk === '' ? null : hunk } }
}
