import { changedLines, changedPlaces } from '../../domain/gate/changed-lines.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { countSuppressions, maySuppress } from '../../domain/gate/suppressions.ts'
import { limits } from '../../domain/limits.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type Compared, type ComparingDeps, contentsOf, diffOf, isTooLarge, textAt } from './compared-files.ts'

/** Changed files in which more comments silence a check than before. */
export async function inComments(
  deps: ComparingDeps,
  compared: Compared,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const files = compared.files.filter(({ path, status }) => status !== 'deleted' && isCode(path))
  if (files.length === 0 || !(await mayBeAdded(deps, compared))) return []
  const looked = files.slice(0, limits.gate.files)
  const rest = files.slice(limits.gate.files)
  const found: Suspicion[] = []
  for (const file of looked) {
    signal.throwIfAborted()
    found.push(...(await inFile(deps, { ...compared, file }, signal)))
  }
  if (rest.length === 0) return found
  const claim = `${rest.length} more files are changed than are looked at for comments that silence checks.`
  const identity = await contentsOf(deps, { ...compared, files: rest })
  const evidence = listed(rest.map(({ path, status }) => `${path} (${status})`))
  return [...found, { kind: 'suppressed', file: '', claim, evidence, identity }]
}

/** Most changes add none, which one diff tells. */
async function mayBeAdded({ workspaces }: ComparingDeps, { base, change }: Compared): Promise<boolean> {
  const maxBytes = limits.gate.changeBytes
  const { text, truncated } = await workspaces.diff({ from: base.commit, to: change.commit, maxBytes })
  if (truncated || /^Binary files /m.test(text)) return true
  return changedLines(text).some((line) => line.startsWith('+') && maySuppress(line))
}

async function inFile(
  deps: ComparingDeps,
  { base, change, file }: Compared & { readonly file: ChangedFile },
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { path, from = path } = file
  const [old, now] = [
    { sha: base.commit, path: from },
    { sha: change.commit, path },
  ]
  const [before, after] = await Promise.all([textAt(deps, old, signal), textAt(deps, now, signal)])
  const isLarge =
    (before === null && (await isTooLarge(deps, old, signal))) ||
    (after === null && (await isTooLarge(deps, now, signal)))
  const silences = (line: string) => countSuppressions(line.slice(1), path) > 0
  const diff = await diffOf(deps, { base, change, file })
  const lines = changedLines(diff).filter(silences)
  const signed = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const [was, is] = isLarge
    ? [signed('-'), signed('+')]
    : [countSuppressions(before ?? '', from), countSuppressions(after ?? '', path)]
  if (is <= was) return []
  const claim = `${path} silences checks in ${is} ${is === 1 ? 'place' : 'places'} instead of ${was}.`
  const identity = [path, `${is - was}`, ...changedPlaces(diff, silences)]
  return [{ kind: 'suppressed', file: path, claim, evidence: listed(lines), identity }]
}
