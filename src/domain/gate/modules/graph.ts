/** The files of a tree that load each other, and the entry points of the product. */
export interface ModuleGraph {
  /** The files of the tree that each file loads. */
  readonly loads: Loads
  /** The files that a file loads only in a test build, as by `#[cfg(test)] mod checks;`. */
  readonly loadsInTests: Loads
  /** Files that start the product, or that other packages may import. */
  readonly entries: ReadonlySet<string>
  /** Files in a language whose imports are read. */
  readonly modules: ReadonlySet<string>
}

type Loads = ReadonlyMap<string, ReadonlySet<string>>

/**
 * The given files and everything that they load, directly or through others. With `inTests`,
 * includes the files that are loaded only in a test build.
 */
export function reachedBy(
  { loads, loadsInTests }: Pick<ModuleGraph, 'loads' | 'loadsInTests'>,
  from: Iterable<string>,
  { inTests = false }: { readonly inTests?: boolean } = {},
): ReadonlySet<string> {
  const seen = new Set(from)
  for (const path of seen) {
    for (const next of loads.get(path) ?? []) seen.add(next)
    if (inTests) for (const next of loadsInTests.get(path) ?? []) seen.add(next)
  }
  return seen
}

/** The files that load one of `wanted`, directly or through others, and `wanted` themselves. */
export function reaching(
  graph: Pick<ModuleGraph, 'loads' | 'loadsInTests'>,
  { from, wanted }: { readonly from: Iterable<string>; readonly wanted: Iterable<string> },
): ReadonlySet<string> {
  const back = new Map<string, string[]>()
  for (const loads of [graph.loads, graph.loadsInTests])
    for (const [path, loaded] of loads)
      for (const each of loaded) {
        const known = back.get(each)
        if (known === undefined) back.set(each, [path])
        else known.push(path)
      }
  const seen = new Set(wanted)
  for (const path of seen) for (const loader of back.get(path) ?? []) seen.add(loader)
  return new Set([...from].filter((path) => seen.has(path)))
}
