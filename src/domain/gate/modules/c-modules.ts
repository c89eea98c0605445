import type { ModuleTree } from './module-tree.ts'
import { folderOf, foldersAbove, joined, nameOf, stemOf } from './paths.ts'

const source = /\.(?:c|cc|cpp|cxx|m|mm)$/i
const header = /\.(?:h|hh|hpp|hxx|inc|ipp|tpp)$/i

export const isCSource = (path: string): boolean => source.test(path)
export const isC = (path: string): boolean => isCSource(path) || header.test(path)
const isBuild = (path: string) => /(?:^|\/)(?:(?:GNU)?makefile|CMakeLists\.txt|meson\.build)$|\.mk$/i.test(path)

interface CPrograms {
  /** Sources that are built into one program or library, as the build files list them. */
  readonly groups: readonly (readonly string[])[]
  /** The groups that are libraries. */
  readonly libraries: readonly (readonly string[])[]
  /** All files by name, since an `#include` can name any file. */
  readonly named: ReadonlyMap<string, readonly string[]>
  /** Sources by their name without the extension. */
  readonly sources: ReadonlyMap<string, readonly string[]>
}

export function cPrograms(tree: ModuleTree): CPrograms {
  const own = tree.paths.filter(isC)
  const byKey = (paths: readonly string[], keyOf: (path: string) => string) => {
    const found = new Map<string, string[]>()
    for (const path of paths) {
      const known = found.get(keyOf(path))
      if (known === undefined) found.set(keyOf(path), [path])
      else known.push(path)
    }
    return found
  }
  const found = own.length === 0 ? [] : tree.paths.filter(isBuild).flatMap((path) => groupsIn(tree, path))
  const groups = found.map(({ files }) => files)
  const libraries = found.filter(({ isLibrary }) => isLibrary).map(({ files }) => files)
  return {
    groups,
    libraries,
    named: byKey(own.length === 0 ? [] : tree.paths, nameOf),
    sources: byKey(own.filter(isCSource), stemOf),
  }
}

/** The sources that one rule, command or call of a build file names together. */
function groupsIn(tree: ModuleTree, path: string): readonly Group[] {
  const isMake = !/CMakeLists|meson/i.test(path)
  const text = tree.text(path).replace(/\\\n/g, ' ')
  const values = new Map<string, string>()
  const set = isMake ? /^[ \t]*(\w+)[ \t]*[:+?]?=[ \t]*([^\n#]*)/gm : /\bset[ \t]*\([ \t]*(\w+)\s+([^)]*)\)/gi
  for (const [, name = '', value = ''] of text.matchAll(set)) values.set(name, `${values.get(name) ?? ''} ${value}`)
  const expanded = (line: string, depth = 0): string =>
    depth > 4
      ? line
      : line.replace(/\$[({](\w+)[)}]/g, (_, name: string) => expanded(values.get(name) ?? '', depth + 1))
  const lines = isMake ? text.split(/\n(?=[^\t\n#][^=\n]*:)/) : (text.match(/\b\w+\s*\([^()]*\)/g) ?? [])
  return lines.map((line) => {
    const words = expanded(line).split(/[\s"'()=;:]+/)
    const files = words.flatMap((word) => {
      const name = word.replace(/\.o$/, '.c').replace(/^\$\{?\w*\}?\//, '')
      const place = source.test(name) ? joined(folderOf(path), name) : null
      return place !== null && tree.has(place) ? [place] : []
    })
    return { files: [...new Set(files)], isLibrary: library.test(line) }
  })
}

interface Group {
  readonly files: readonly string[]
  readonly isLibrary: boolean
}

const library = /\badd_library\b|\b(?:static_|shared_)?library\s*\(|\bar[ \t]|\$\(AR\)|\.(?:a|so)\b|-shared\b/

/** The files that a C or C++ file is built with. */
export function loadsOfC(tree: ModuleTree, path: string, { groups, named, sources }: CPrograms): readonly string[] {
  const text = tree.uncommented(path)
  const found: string[] = []
  for (const [, name = ''] of text.matchAll(/^[ \t]*#[ \t]*(?:include|import|embed)[ \t]*["<]([^">\n]+)[">]/gm)) {
    const included = includedAt(tree, named, { path, name })
    if (included !== null) found.push(included)
  }
  // A header stands for the sources that implement it.
  if (header.test(path)) found.push(...nearest(sources.get(stemOf(path)) ?? [], path))
  if (hasMain(tree, path))
    for (const group of groups)
      if (group.includes(path)) found.push(...group.filter((each) => each !== path && !hasMain(tree, each)))
  return found
}

function includedAt(
  tree: ModuleTree,
  named: CPrograms['named'],
  { path, name }: { readonly path: string; readonly name: string },
): string | null {
  const beside = joined(folderOf(path), name)
  if (beside !== null && tree.has(beside)) return beside
  const clean = name.replace(/^(?:\.\.?\/)+/, '')
  const all = (named.get(nameOf(name)) ?? []).filter((each) => each === clean || each.endsWith(`/${clean}`))
  return nearest(all, path)[0] ?? null
}

/** Selects the paths that share most folders with another path. */
function nearest(paths: readonly string[], other: string): readonly string[] {
  const above = foldersAbove(folderOf(other))
  const shared = (path: string) => foldersAbove(folderOf(path)).filter((each) => above.includes(each)).length
  const most = Math.max(0, ...paths.map(shared))
  return paths.filter((path) => shared(path) === most)
}

/** True if a file has the `main` function of a program. */
export function hasMain(tree: ModuleTree, path: string): boolean {
  return isCSource(path) && /\b(?:int|void)\s+main\s*\(|^main\s*\(/m.test(tree.code(path))
}

/** Sources of libraries, as the build files list them, without libraries of checks for tests. */
export function startsOfC(tree: ModuleTree, { libraries }: CPrograms): readonly string[] {
  return libraries.flatMap((group) =>
    group.some((path) => hasMain(tree, path) || isPartOfChecks(tree, path)) ? [] : group,
  )
}

/** True if a C file declares checking macros, or is the source of a header that does. */
export function isPartOfChecks(tree: ModuleTree, path: string): boolean {
  const isHeader = header.test(path)
  const own = tree.filesIn(folderOf(path)).find((each) => header.test(each) && stemOf(each) === stemOf(path))
  const checked = isHeader ? path : own
  return checked !== undefined && checks.test(tree.code(checked))
}

const checks = /^[ \t]*#[ \t]*define[ \t]+\w*(?:ASSERT|CHECK|EXPECT|REQUIRE|VERIFY|FAIL|TEST_|\bOK\b)\w*\(/im
