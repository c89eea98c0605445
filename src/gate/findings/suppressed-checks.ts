import { changedLines, changedPlaces } from '../../domain/gate/changed-lines.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { countSuppressions, maySuppress } from '../../domain/gate/suppressions.ts'
import type { ChangedText } from './changed-texts.ts'

/** Changed files with more check-silencing comments than before: an early warning. */
export async function inComments(texts: readonly ChangedText[]): Promise<readonly Suspicion[]> {
  const found: Suspicion[] = []
  for (const each of texts) found.push(...(await inText(each)))
  return found
}

async function inText({ file, text, before, added }: ChangedText): Promise<readonly Suspicion[]> {
  const { path, from = path, status } = file
  const now = countSuppressions(text, path)
  if (now === 0) return []
  const old = await before()
  const { diff } = await added()
  const changed = changedLines(diff)
  const own = changed.filter((line) => countSuppressions(line.slice(1), path) > 0)
  // In a comment of several lines, no single line is recognizable as a comment.
  const lines = own.some((line) => line.startsWith('+')) ? own : changed.filter((line) => maySuppress(line.slice(1)))
  const signed = (sign: string) => own.filter((line) => line.startsWith(sign)).length
  // For a text that was too large to read, only the changed lines are known.
  const isUnknown = old === null && status !== 'added'
  const [was, is] = isUnknown ? [signed('-'), signed('+')] : [countSuppressions(old ?? '', from), now]
  if (is <= was) return []
  const claim = `${path} silences checks in ${is} ${is === 1 ? 'place' : 'places'} instead of ${was}. This is an early warning by words.`
  const identity = [path, `${is - was}`, ...changedPlaces(diff, (line) => lines.includes(line))]
  return [{ kind: 'suppressed', file: path, claim, evidence: listed(lines), identity }]
}
