import type { ModuleTree } from './module-tree.ts'
import { folderOf, joined, nameOf } from './paths.ts'

export const isGo = (path: string): boolean => path.endsWith('.go')
const isGoTest = (path: string): boolean => path.endsWith('_test.go')

/** The import path of a module, with its folder. */
interface GoModule {
  readonly folder: string
  readonly path: string
}

interface GoPackages {
  readonly modules: readonly GoModule[]
  /** The names that each file declares at its top, by path. */
  readonly declared: ReadonlyMap<string, readonly string[]>
}

export function goPackages(tree: ModuleTree): GoPackages {
  const modules = tree.paths
    .filter((path) => nameOf(path) === 'go.mod')
    .map((path) => ({
      folder: folderOf(path),
      path: /^module[ \t]+"?([^\s"]+)/m.exec(tree.text(path))?.[1] ?? '',
    }))
  const declared = new Map(tree.paths.filter(isGo).map((path) => [path, declaredIn(tree.code(path))]))
  return { modules: modules.toSorted((a, b) => b.path.length - a.path.length), declared }
}

function declaredIn(code: string): readonly string[] {
  const single = /^(?:func(?:[ \t]*\([^)\n]*\))?|type|var|const)[ \t]+(\w+)/gm
  const grouped = /^(?:type|var|const)[ \t]*\(\n([\s\S]*?)^\)/gm
  const names = [...code.matchAll(single)].map(([, name = '']) => name)
  for (const [, lines = ''] of code.matchAll(grouped))
    for (const [, name = ''] of lines.matchAll(/^[ \t]+(\w+)/gm)) names.push(name)
  return names
}

/** The import paths that a file names. */
export function importsOfGo(tree: ModuleTree, path: string): readonly string[] {
  const text = tree.text(path)
  const code = tree.code(path)
  const found: string[] = []
  for (const { index, 0: block } of code.matchAll(/^import[ \t]*(?:\([\s\S]*?\)|[^\n]*)/gm))
    for (const { index: at, 0: quoted } of block.matchAll(/["`][^"`\n]*["`]/g))
      found.push(text.slice(index + at + 1, index + at + quoted.length - 1))
  return found
}

/**
 * The files that a file needs: files of its own and of imported packages that declare a name which
 * it uses, or that have an `init` function.
 */
export function loadsOfGo(tree: ModuleTree, path: string, { modules, declared }: GoPackages): readonly string[] {
  const words = new Set(tree.code(path).match(/[A-Za-z_]\w*/g))
  const own = filesOfPackage(tree, folderOf(path)).filter(
    (each) => each !== path && (isGoTest(path) || !isGoTest(each)),
  )
  const imported = importsOfGo(tree, path).map((name) => {
    const module = modules.find((each) => name === each.path || name.startsWith(`${each.path}/`))
    const folder = module && joined(module.folder, name.slice(module.path.length))
    const files = folder === undefined || folder === null ? [] : filesOfPackage(tree, folder)
    return files.filter((each) => !isGoTest(each))
  })
  const uses = (each: string) => {
    const names = declared.get(each) ?? []
    return names.includes('init') || names.some((name) => name !== 'main' && name !== '_' && words.has(name))
  }
  const needed = imported.flatMap((files) => {
    const some = files.filter(uses)
    return some.length > 0 ? some : files
  })
  return [...own.filter(uses), ...needed, ...embedded(tree, path)]
}

const filesOfPackage = (tree: ModuleTree, folder: string) => tree.filesIn(folder).filter(isGo)

/** Patterns of the files that `//go:embed` comments name. */
export function embedsOfGo(tree: ModuleTree, path: string): readonly string[] {
  const comments = isGo(path) ? tree.text(path).matchAll(/^\/\/go:embed[ \t]+(.+)$/gm) : []
  return [...comments].flatMap(([, all = '']) =>
    all.split(/\s+/).map((name) => name.replace(/^["`]?(?:all:)?|["`]$/g, '')),
  )
}

/** Files that `//go:embed` comments name. */
function embedded(tree: ModuleTree, path: string): readonly string[] {
  return embedsOfGo(tree, path).flatMap((name) => {
    const place = joined(folderOf(path), name.replace(/\*.*$/, ''))
    if (place === null || place === '') return []
    return tree.has(place) ? [place] : tree.paths.filter((each) => each.startsWith(`${place.replace(/\/$/, '')}/`))
  })
}

/**
 * True if a file starts a program, or belongs to a package that others can import, except for
 * packages of test support.
 */
export function startsGo(tree: ModuleTree, path: string): boolean {
  if (isGoTest(path)) return false
  const code = tree.code(path)
  if (/^package[ \t]+main\b/m.test(code)) return /^func[ \t]+main\b/m.test(code)
  if (/(?:^|\/)internal\//.test(path)) return false
  return declaredIn(code).some((name) => /^[A-Z]/.test(name)) && !importsOfGo(tree, path).includes('testing')
}
