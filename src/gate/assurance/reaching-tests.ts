import { reaching } from '../../domain/gate/modules/graph.ts'
import type { Uses } from '../../domain/gate/modules/uses.ts'
import { limits } from '../../domain/limits.ts'
import type { ComparingDeps } from '../findings/compared-files.ts'
import { usesOfTree } from '../modules/uses-of-tree.ts'

const mostMatches = 2_000

/**
 * Files of a commit that load one of these modules, directly or through others. If no file seems to
 * load one, as in an unsupported language, the files that name one.
 */
export async function filesReaching(
  deps: ComparingDeps,
  { sha, paths }: { readonly sha: string; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set()
  const uses = await usesOfTree(deps, sha, signal)
  const others = uses === null ? new Set<string>() : reachingIn(uses, paths)
  return others.size > 0 ? others : filesNaming(deps, { sha, names: paths.map(calledInTests) }, signal)
}

function reachingIn({ graph }: Uses, paths: readonly string[]): ReadonlySet<string> {
  const found = reaching(graph, { from: graph.modules, wanted: paths.filter((path) => graph.modules.has(path)) })
  return new Set([...found].filter((path) => !paths.includes(path) || graph.loadsInTests.has(path)))
}

/** Files of a commit whose text has one of these words. */
export async function filesNaming(
  { history }: ComparingDeps,
  { sha, names }: { readonly sha: string; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const some = [...new Set(names)].slice(0, limits.canaries.names)
  const pattern = some.map((name) => name.replace(/[^\w]/g, '\\$&')).join('|')
  if (pattern === '') return new Set()
  const found = await history.committed(sha).search({ pattern, glob: null, max: mostMatches }, signal)
  return new Set(found.ok ? found.value.matches.map(({ path }) => path) : [])
}

/** The name of a source in tests: its own, or its folder's for an index file. */
function calledInTests(path: string): string {
  const [name = '', folder = ''] = path.split('/').reverse()
  const stem = name.replace(/\..*$/, '')
  return /^(?:index|main|mod|lib|__init__)$/.test(stem) && folder !== '' ? folder : stem
}
