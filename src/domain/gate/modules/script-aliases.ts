import { isObject, parsedJson } from '../../json.ts'
import { stringsIn } from './json-fields.ts'
import type { ModuleTree } from './module-tree.ts'
import { folderOf, joined, nameOf } from './paths.ts'

const configuration = /^[jt]sconfig(?:\.[\w.-]+)?\.json$/i

/** Aliases of import names, from the tsconfig.json of one folder or from SvelteKit's `$lib`. */
export interface Aliases {
  /** The folder whose files may use the aliases. */
  readonly folder: string
  /** Patterns of names, with at most one `*`, and the paths that they stand for. */
  readonly patterns: ReadonlyMap<string, readonly string[]>
}

/** True if a file, by its name, may declare aliases. */
export const isAliasFile = (path: string): boolean => configuration.test(nameOf(path))

export function aliasesOf(tree: ModuleTree): readonly Aliases[] {
  const told = tree.paths.filter(isAliasFile).map((path) => ({ folder: folderOf(path), patterns: pathsIn(tree, path) }))
  const kits = tree.paths.filter((path) => /^svelte\.config\.[cm]?[jt]s$/.test(nameOf(path))).map(folderOf)
  const kit = kits.map((folder) => {
    const lib = joined(folder, 'src/lib') ?? ''
    return {
      folder,
      patterns: new Map([
        ['$lib', [lib]],
        ['$lib/*', [`${lib}/*`]],
      ]),
    }
  })
  return [...told, ...kit].toSorted((a, b) => b.folder.length - a.folder.length)
}

function pathsIn(tree: ModuleTree, path: string): ReadonlyMap<string, readonly string[]> {
  const { compilerOptions } = fieldsWithComments(tree.text(path))
  const { paths, baseUrl } = isObject(compilerOptions) ? compilerOptions : {}
  const base = joined(folderOf(path), typeof baseUrl === 'string' ? baseUrl : '')
  const found = new Map<string, readonly string[]>()
  if (base === null) return found
  for (const [name, places] of isObject(paths) ? Object.entries(paths) : [])
    found.set(
      name,
      stringsIn(places).flatMap((place) => joined(base, place) ?? []),
    )
  if (typeof baseUrl === 'string') found.set('*', [...(found.get('*') ?? []), base === '' ? '*' : `${base}/*`])
  return found
}

/** The fields of a JSON object with comments and with commas before closing brackets. */
function fieldsWithComments(text: string): Readonly<Record<string, unknown>> {
  const bare = text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted?: string) => quoted ?? '')
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, quoted?: string) => quoted ?? '')
  const value = parsedJson(bare)
  return isObject(value) ? value : {}
}

/** The paths that a name may stand for by the aliases of the folders above, without extensions. */
export function aliased(aliases: readonly Aliases[], path: string, name: string): readonly string[] {
  return aliases.flatMap(({ folder, patterns }) => {
    if (folder !== '' && !path.startsWith(`${folder}/`)) return []
    const exact = patterns.get(name)
    if (exact !== undefined) return exact
    const fitting = [...patterns].flatMap(([key, places]) => {
      const [before = '', after] = key.split('*')
      if (after === undefined || !name.startsWith(before) || !name.endsWith(after)) return []
      const rest = name.slice(before.length, name.length - after.length)
      return [{ before, places: places.map((place) => place.replace('*', () => rest)) }]
    })
    return fitting.toSorted((a, b) => b.before.length - a.before.length).flatMap(({ places }) => places)
  })
}

/** Node's built-in modules whose names contain a slash. */
const ofNode = /^(?:assert|dns|fs|inspector|path|readline|stream|timers|util)\/|:/

const tails = new WeakMap<ModuleTree, ReadonlyMap<string, readonly string[]>>()

/**
 * The files whose paths end like an unresolved name, for example an alias that a build tool
 * declares: any of them may be loaded.
 */
export function endingLike(tree: ModuleTree, name: string): readonly string[] {
  if (ofNode.test(name)) return []
  const parts = name
    .replace(/\.[cm]?[jt]sx?$/, '')
    .split('/')
    .filter(Boolean)
  const known = tails.get(tree) ?? byTail(tree)
  tails.set(tree, known)
  for (let from = 1; from < parts.length; from += 1) {
    const tail = parts.slice(from).join('/')
    const found = (known.get(parts.at(-1) ?? '') ?? []).filter((path) => `/${bare(path)}`.endsWith(`/${tail}`))
    if (found.length > 0) return found
  }
  return []
}

const bare = (path: string) => path.replace(/\.[^./]+$/, '').replace(/\/index$/, '')

function byTail(tree: ModuleTree): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const path of tree.paths) {
    if (!/\.(?:[cm]?[jt]sx?|vue|svelte|astro|json)$/i.test(path)) continue
    const name = nameOf(bare(path))
    const known = found.get(name)
    if (known === undefined) found.set(name, [path])
    else known.push(path)
  }
  return found
}
