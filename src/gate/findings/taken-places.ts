import { isCode } from '../../domain/gate/code-syntax.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { importTakenBy, mayTakeImport } from '../../domain/gate/taken-imports.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { type ChangeComparison, type ComparingDeps, contentsOf } from './compared-files.ts'

/** New files that an import of a test now resolves to, instead of a module outside of the tree. */
export async function inTakenPlaces(
  deps: ComparingDeps,
  { base, change, files }: ChangeComparison,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const added = files.filter(({ path, status }) => ['added', 'renamed'].includes(status) && mayTakeImport(path))
  if (added.length === 0) return []
  const { files: most, bytes, fileBytes } = limits.modules
  const isWanted = (path: string) => isTestFile(path) && isCode(path)
  const { paths, texts } = await deps.history.texts(base.commit, { isWanted, files: most, bytes, fileBytes, signal })
  const found: Suspicion[] = []
  for (const file of added) {
    const taken = importTakenBy(file.path, { tests: texts, paths, isGreen: base.status === 'PASS' })
    if (taken === null) continue
    found.push({
      kind: 'configuration',
      file: file.path,
      claim: `${file.path} is ${file.status}, which decides about tests, which import it in place of ${taken.module}.`,
      evidence: listed([`${taken.test} imports ${taken.module}, which was no file of this repository`]),
      identity: await contentsOf(deps, { base, change, files: [file] }),
    })
  }
  return found
}
