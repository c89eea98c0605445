import { limits } from '../../domain/limits.ts'
import { plainLine, plainText } from '../../domain/plain-text.ts'
import type { NewRemark, RemarkPlace } from '../../domain/remark/remark.ts'
import { placeText } from '../../domain/remark/remark-findings.ts'
import { isEnded } from '../../domain/run/run.ts'
import { verifiedCommit } from '../../domain/run/verified-commit.ts'
import { nameOf } from '../../domain/story/name-of.ts'
import { capText } from '../../domain/text.ts'
import type { Installation } from '../installation.ts'
import { usage } from '../usage.ts'
import type { Work } from '../views/find/find-work.ts'

interface ReviewInput extends Work {
  /** The commit whose lines the remark names; null for the commit that the dashboard shows. */
  readonly shown: string | null
}

/**
 * Makes a remark safe to store: removes control characters and checks that its lines are in a file
 * of the change. A person at the command line can correct a mistake, so a wrong remark throws
 * DrydockError `bad_usage`. A remark from a forge is kept instead: too long a text is cut, and
 * lines that do not exist are dropped.
 */
export async function checkRemark(
  drydock: Pick<Installation, 'history'>,
  work: ReviewInput,
  remark: NewRemark,
): Promise<NewRemark> {
  const { key, source, inReplyTo } = remark
  const { textChars, hunkChars, threadChars, keyChars, authorChars } = limits.remark
  if (key === '' || key.length > keyChars) throw usage(`The key of a remark has 1 to ${keyChars} characters.`, again)
  const isHere = source.kind === 'cli' || source.kind === 'dashboard'
  if (isHere && remark.text.length > textChars) {
    const message = `A remark has ${remark.text.length} characters. At most ${textChars} are allowed.`
    throw usage(message, 'Make it shorter.')
  }
  const text = plainText(capText(remark.text, textChars), textChars + limits.cutNotice).trim()
  const author = plainLine(remark.author, authorChars)
  if (text === '') throw usage('A remark is empty.', 'Write some text.')
  if (author === '') throw usage('A remark has no author.', 'Say who makes it.')
  const thread = inReplyTo && { ...inReplyTo, said: plainText(inReplyTo.said, threadChars) }
  const plain = { key, source, author, text, ...(thread && { inReplyTo: thread }) }
  const place = remark.place && withPlainHunk(remark.place, hunkChars)
  const problem = place && (await problemOf(drydock, work, place))
  if (place === null || problem === null) return { ...plain, place }
  if (isHere) throw usage(problem, 'Name lines of a file of the change: PATH, PATH:LINE or PATH:FIRST-LAST')
  return { ...plain, place: null, text: `${text}\n\n(Said about ${placeText({ place })}. ${problem})` }
}

const again = 'The same key is the same remark.'

function withPlainHunk(place: RemarkPlace, max: number): RemarkPlace {
  const { path, start, end, side, hunk } = place
  return { path, start, end, side, hunk: hunk === null ? null : plainText(hunk, max) }
}

/** The reason why the lines cannot be found; null if they exist. */
async function problemOf(
  drydock: Pick<Installation, 'history'>,
  { run, story, shown }: ReviewInput,
  place: RemarkPlace,
): Promise<string | null> {
  const { path, start, end, side } = place
  const name = JSON.stringify(plainLine(path, 200))
  const base = story?.data.base ?? run.data.base
  const sha = side === 'old' ? base : (shown ?? shownOf({ run, story }) ?? base)
  if (sha === null) return `${run.id} has no files yet.`
  if (start === null ? end !== null : start < 1 || (end ?? start) < start) return `${name} has no such lines.`
  const read = await drydock.history.committed(sha).read(path, limits.fileBytes, AbortSignal.timeout(30_000))
  if (!read.ok) return `${name} is no file of the change.`
  if (start === null) return null
  const lines = linesIn(Buffer.from(read.value.base64, 'base64'))
  return (end ?? start) <= lines || read.value.size > limits.fileBytes ? null : `${name} has ${lines} lines.`
}

/** The commit that the dashboard compares with the base. */
function shownOf({ run, story }: Work): string | null {
  if (story !== null && (nameOf(story) !== null || !isEnded(run.state))) return story.data.snapshot?.sha ?? null
  return verifiedCommit(run, story === null ? [] : [story])
}

function linesIn(bytes: Buffer): number {
  const ends = bytes.reduce((count, byte) => (byte === 10 ? count + 1 : count), 0)
  return bytes.length === 0 || bytes.at(-1) === 10 ? ends : ends + 1
}
