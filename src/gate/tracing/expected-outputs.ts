import { posix } from 'node:path'
import { isGreen } from '../../domain/verification/reruns.ts'
import type { History } from '../../ports/history.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { Rewritten } from './rewritten-files.ts'

interface TreePair {
  readonly base: TreeTests
  readonly change: TreeTests
}

/**
 * Leaves out outputs that the base commit's steps could not have written: those in a folder that
 * only the change has, and those of a step that fails on the base commit.
 */
export async function withoutExpectedOutputs(
  { history }: { readonly history: History },
  { base, change }: TreePair,
): Promise<readonly Rewritten[]> {
  const written = change.rewritten ?? []
  const folders = [...new Set(written.flatMap(({ path, isOutput }) => (isOutput ? foldersAbove(path) : [])))]
  if (folders.length === 0) return written
  const [before, now] = await Promise.all([base, change].map(({ commit }) => history.contents(commit, folders)))
  const isExpected = ({ path, step }: Rewritten) => {
    const ran = base.commands.find(({ name }) => name === step)
    const nearest = foldersAbove(path).find((folder) => now?.[folder])
    const isOfNew = nearest !== undefined && !before?.[nearest]
    return isOfNew || ran === undefined || !isGreen(ran, base.tests[step] ?? null)
  }
  return written.filter((each) => !(each.isOutput && isExpected(each)))
}

/** The folders above a path, the nearest first, without the root. */
function foldersAbove(path: string): readonly string[] {
  const above = posix.dirname(path)
  return above === '.' ? [] : [above, ...foldersAbove(above)]
}
