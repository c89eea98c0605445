import { isTestFile } from '../../story/plan.ts'
import { cPrograms, hasMain, isC, loadsOfC, startsOfC } from './c-modules.ts'
import { goPackages, isGo, loadsOfGo, startsGo } from './go-modules.ts'
import type { ModuleGraph } from './graph.ts'
import type { ModuleTree } from './module-tree.ts'
import { isPython, loadsOfPython, pythonRoots, startsOfPython, startsPython } from './python-modules.ts'
import { cratesOf, isRust, loadsOfRust, startsOfRust } from './rust-modules.ts'
import { aliasesOf, isAliasFile } from './script-aliases.ts'
import { isScript, loadsOfScript, mainsOf, packageOf, packagesOf, programsOf, startsScript } from './script-modules.ts'
import { isShell, loadsOfShell } from './shell-modules.ts'

/** True if the imports of a file with this name are read. */
export function isModule(path: string): boolean {
  return [isScript, isPython, isGo, isRust, isC, isShell].some((is) => is(path))
}

const manifest =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|go\.mod|Cargo\.toml|(?:GNU)?makefile|CMakeLists\.txt|meson\.build|index\.html)$|\.mk$/i

/** True if a graph needs the text of a file: a module, or a manifest that connects modules. */
export function isForGraph(path: string): boolean {
  return (
    (isModule(path) || manifest.test(path) || isAliasFile(path)) &&
    !/(?:^|\/)(?:node_modules|\.git|\.venv|venv)\//.test(path)
  )
}

/** Builds the graph of a tree from its texts alone. */
export function moduleGraph(tree: ModuleTree): ModuleGraph {
  const modules = tree.paths.filter((path) => isModule(path) && isForGraph(path))
  const loads = new Map<string, ReadonlySet<string>>()
  const loadsInTests = new Map<string, ReadonlySet<string>>()
  const packages = packagesOf(tree)
  const aliases = aliasesOf(tree)
  const roots = pythonRoots(tree)
  const [go, crates, c] = [goPackages(tree), cratesOf(tree), cPrograms(tree)]
  for (const path of modules) {
    const others = (paths: readonly string[]) => new Set(paths.filter((each) => each !== path))
    if (isRust(path)) {
      const found = loadsOfRust(tree, path, crates)
      loads.set(path, others(found.loads))
      if (found.inTests.length > 0) loadsInTests.set(path, others(found.inTests))
    } else loads.set(path, others(loadsOf(path)))
  }
  return { loads, loadsInTests, entries: new Set(entries()), modules: new Set(modules) }

  function loadsOf(path: string): readonly string[] {
    const isNode = isShell(path) && /^#!.*\b(?:node|bun|deno|tsx)\b/.test(tree.text(path))
    if (isScript(path) || isNode) return loadsOfScript(tree, path, { packages, aliases })
    if (isPython(path)) return loadsOfPython(tree, path, roots)
    if (isGo(path)) return loadsOfGo(tree, path, go)
    return isC(path) ? loadsOfC(tree, path, c) : loadsOfShell(tree, path)
  }

  /** Entry points; a test file is never one, whatever a manifest says. */
  function entries(): readonly string[] {
    const named = [
      ...packages.flatMap((each) => [...mainsOf(tree, each), ...programsOf(tree, each)]),
      ...startsOfPython(tree, roots),
      ...startsOfRust(tree, crates),
      ...startsOfC(tree, c),
      ...tree.paths.filter((path) => /(?:^|\/)index\.html$/.test(path)).flatMap(scriptsOfPage),
    ]
    const own = modules.filter((path) => {
      if (isScript(path)) return startsScript(tree, packageOf(packages, path) ?? { folder: '', manifest: {} }, path)
      if (isPython(path)) return startsPython(tree, path)
      return isGo(path) ? startsGo(tree, path) : hasMain(tree, path)
    })
    return [...named, ...own].filter((path) => !isTestFile(path))
  }

  function scriptsOfPage(path: string): readonly string[] {
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : ''
    return [...tree.text(path).matchAll(/<script\b[^>]*\bsrc=["']\/?([^"']+)["']/gi)].flatMap(([, name = '']) =>
      tree.has(folder + name) ? [folder + name] : [],
    )
  }
}
