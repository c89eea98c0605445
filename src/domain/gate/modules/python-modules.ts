import type { ModuleTree } from './module-tree.ts'
import { folderOf, foldersAbove, joined, nameOf } from './paths.ts'

export const isPython = (path: string): boolean => /\.py[iw]?$/i.test(path)

interface PythonRoots {
  /**
   * Folders that modules are imported from, in order: those that hold Python files and are not
   * packages.
   */
  readonly folders: ReadonlySet<string>
  /** The parent folders of each module or folder with modules, by its name. */
  readonly parents: ReadonlyMap<string, ReadonlySet<string>>
}

export function pythonRoots(tree: ModuleTree): PythonRoots {
  const folders = new Set(['', 'src', 'lib'])
  const parents = new Map<string, Set<string>>()
  for (const path of tree.paths) {
    if (!isPython(path)) continue
    folders.add(topOf(tree, folderOf(path)))
    for (let at = path.replace(/\.[^./]+$/, ''); at !== ''; at = folderOf(at)) {
      const known = parents.get(nameOf(at)) ?? new Set()
      parents.set(nameOf(at), known.add(folderOf(at)))
    }
  }
  return { folders, parents }
}

/** The folders to search for a module, near ones before the roots. */
function* placesOf({ folders, parents }: PythonRoots, dotted: string, near: readonly string[]): Iterable<string> {
  const found = parents.get(/[^.]+/.exec(dotted)?.[0] ?? '')
  if (found === undefined) return
  for (const each of [...near, '', 'src', 'lib']) if (found.has(each)) yield each
  for (const each of found) if (folders.has(each)) yield each
}

/** The folder above the outermost package that a folder belongs to. */
function topOf(tree: ModuleTree, folder: string): string {
  let at = folder
  while (at !== '' && tree.has(`${at}/__init__.py`)) at = folderOf(at)
  return at
}

const from = /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n;#]*)/gm
const plain = /^[ \t]*import[ \t]+([^\n;#]+)/gm
const called = /\b(?:import_module|__import__|pytest_plugins[ \t]*=[ \t]*\[?|importorskip)[ \t]*\(?[ \t]*(["'])/g

/** The files of the tree that a Python file loads. */
export function loadsOfPython(tree: ModuleTree, path: string, roots: PythonRoots): readonly string[] {
  const code = tree.code(path).replace(/\\\n/g, '  ')
  const folder = folderOf(path)
  // The nearest folder comes first, since a runner puts the folder of a file on the path.
  const near = [...foldersAbove(folder).filter((each) => roots.folders.has(each)), folder]
  const found: string[] = []
  const add = (dotted: string, names: readonly string[] = []) =>
    found.push(...modulesAt(tree, placesOf(roots, dotted, near), dotted, names))
  for (const [, module = '', names = ''] of code.matchAll(from)) {
    const imported = names
      .replace(/[()]/g, '')
      .split(',')
      .map((name) => name.trim().split(/\s+/)[0] ?? '')
    const dots = /^\.+/.exec(module)?.[0].length ?? 0
    if (dots === 0) add(module, imported)
    else {
      const above = joined(folder, '../'.repeat(dots - 1))
      if (above === null) continue
      found.push(...modulesAt(tree, [above], module.slice(dots), imported), `${above}/__init__.py`)
    }
  }
  for (const [, names = ''] of code.matchAll(plain))
    for (const name of names.split(',')) add(name.trim().split(/\s+/)[0] ?? '')
  for (const { index, 0: words, 1: quote = '"' } of code.matchAll(called)) {
    const start = index + words.length
    add(tree.text(path).slice(start, code.indexOf(quote, start)))
  }
  for (const above of foldersAbove(folder)) {
    const setUp = above === '' ? 'conftest.py' : `${above}/conftest.py`
    if (isLoadedByRunner(path) && tree.has(setUp) && setUp !== path) found.push(setUp)
  }
  return found.filter((each) => tree.has(each))
}

const isLoadedByRunner = (path: string) => /^test|_test\.py$|^conftest\.py$/.test(nameOf(path))

/** A module with its enclosing packages, and those of the imported names that are modules. */
function modulesAt(
  tree: ModuleTree,
  places: Iterable<string>,
  dotted: string,
  names: readonly string[],
): readonly string[] {
  const parts = dotted.split('.').filter(Boolean)
  for (const place of places) {
    const found: string[] = []
    let at = place
    let isWhole = true
    for (const [i, part] of parts.entries()) {
      at = at === '' ? part : `${at}/${part}`
      const package_ = `${at}/__init__.py`
      const module = [`${at}.py`, `${at}.pyi`].find((each) => tree.has(each))
      if (tree.has(package_)) found.push(package_)
      else if (module !== undefined) {
        found.push(module)
        if (i < parts.length - 1) isWhole = false
      } else if (tree.filesIn(at).length === 0) isWhole = false
      if (!isWhole) break
    }
    for (const name of isWhole ? names : []) {
      const inside = [`${at}/${name}.py`, `${at}/${name}/__init__.py`].map((each) => each.replace(/^\//, ''))
      found.push(...inside.filter((each) => tree.has(each)))
      if (name === '*' && tree.has(`${at}/__init__.py`)) found.push(`${at}/__init__.py`)
    }
    if (found.length > 0 && isWhole) return found
  }
  return []
}

/** Files of the modules that a project's manifests name as entry points. */
export function startsOfPython(tree: ModuleTree, roots: PythonRoots): readonly string[] {
  const manifests = tree.paths.filter((path) => /(?:^|\/)(?:pyproject\.toml|setup\.(?:py|cfg))$/.test(path))
  const named = manifests.flatMap((path) =>
    [...tree.text(path).matchAll(/=\s*["']?([A-Za-z_][\w.]*):\w[\w.]*/g)].map(([, module = '']) => module),
  )
  return named.flatMap((module) => modulesAt(tree, placesOf(roots, module, []), module, []).slice(-1))
}

const guard = /^if[ \t]+__name__[ \t]*==[ \t]*["']/m

/** True if others can import or run a file: a package or a program. */
export function startsPython(tree: ModuleTree, path: string): boolean {
  const name = nameOf(path)
  if (/^__(?:init|main)__\.py$|^(?:main|app|cli|manage|wsgi|asgi|server)\.py$/.test(name)) return true
  // A program that runs its own tests does not belong to the product.
  return guard.test(tree.code(path)) && !/\b(?:unittest|pytest)\.main\b/.test(tree.code(path))
}
