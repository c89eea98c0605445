import { limits } from '../../domain/limits.ts'
import { textAt } from '../compared-files.ts'
import { mayHoldTests, withTestsOf } from './in-file-tests.ts'
import type { VariantDeps } from './run-variant.ts'
import type { Trying } from './try-hybrid.ts'

interface Content {
  readonly path: string
  readonly content: string
}

/** Sources of the change that hold tests, as in Rust, with the base commit's tests in place of their own; without any where there were none. */
export async function sourcesWithOldTests(
  deps: VariantDeps,
  { input, files, kindOf }: Pick<Trying, 'input' | 'files' | 'kindOf'>,
  signal: AbortSignal,
): Promise<readonly Content[]> {
  const found: Content[] = []
  const asked = files.filter(({ path, status }) => status !== 'deleted' && mayHoldTests(path))
  for (const { path, status, from = path } of asked.slice(0, limits.gate.files)) {
    if (kindOf(path) !== 'source') continue
    const after = await textAt(deps, { sha: input.commit, path }, signal)
    const before = status === 'added' ? null : await textAt(deps, { sha: input.base, path: from }, signal)
    // What was no UTF-8 could not be written back.
    if (after === null || after.includes('\uFFFD') || before?.includes('\uFFFD')) continue
    const content = withTestsOf(path, after, before)
    if (content !== after) found.push({ path, content })
  }
  return found
}
