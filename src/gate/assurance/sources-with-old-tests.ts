import type { FileKind } from '../../domain/gate/file-kind.ts'
import { mayHoldTests, testParts, withTestsOf } from '../../domain/gate/in-file-tests.ts'
import { testsLostAlone } from '../../domain/gate/kept/lost-tests.ts'
import { limits } from '../../domain/limits.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { isLost } from './reduced-test-files.ts'

interface Content {
  readonly path: string
  readonly content: string
}

interface Change {
  readonly input: Pick<VerifyInput, 'base' | 'commit'>
  readonly change: Pick<TreeTests, 'tests'>
  readonly files: readonly ChangedFile[]
  readonly kindOf: (path: string) => FileKind
  readonly renamed?: ReadonlySet<string>
}

/**
 * Changed sources that contain tests, as in Rust, with the base commit's tests in place of their
 * own; without tests if the base had none. Sources that have lost only whole tests stay unchanged.
 */
export async function sourcesWithOldTests(
  deps: ComparingDeps,
  { input, change, files, kindOf, renamed }: Change,
  signal: AbortSignal,
): Promise<readonly Content[]> {
  const found: Content[] = []
  const mayHold = ({ path, status }: ChangedFile) =>
    status !== 'deleted' && mayHoldTests(path) && kindOf(path) === 'source'
  const asked = files.filter(mayHold)
  const known = await linesOfTests(deps, { input, files }, signal)
  for (const { path, status, from = path } of asked.slice(0, limits.gate.files)) {
    const after = await textAt(deps, { sha: input.commit, path }, signal)
    const before = status === 'added' ? null : await textAt(deps, { sha: input.base, path: from }, signal)
    // A text that is not UTF-8 could not be written back.
    if (after === null || after.includes('\uFFFD') || before?.includes('\uFFFD')) continue
    if (before !== null && isLost(change, testsLostAlone(path, testsIn(path, before), testsIn(path, after)), renamed))
      continue
    // Tests that only moved into a new source are the base's.
    const isOld = status === 'added' && linesIn(testsIn(path, after)).every((line) => known.has(line))
    const content = isOld ? after : withTestsOf(path, after, before)
    if (content !== after) found.push({ path, content })
  }
  return found
}

function testsIn(path: string, text: string): string {
  return testParts(path, text)
    .map(({ start, end }) => text.slice(start, end))
    .join('')
}

const linesIn = (text: string) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))

/** The lines of the tests in sources that the change removes or edits. */
async function linesOfTests(
  deps: ComparingDeps,
  { input, files }: Pick<Change, 'input' | 'files'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const lines = new Set<string>()
  const old = files.filter(({ path, from = path, status }) => status !== 'added' && mayHoldTests(from))
  for (const { path, from = path } of old.slice(0, limits.gate.files)) {
    const text = await textAt(deps, { sha: input.base, path: from }, signal)
    for (const line of text === null ? [] : linesIn(testsIn(from, text))) lines.add(line)
  }
  return lines
}
