import { isObject } from '../../json.ts'
import { fieldsOf, stringsIn } from './json-fields.ts'
import type { ModuleTree } from './module-tree.ts'
import { folderOf, foldersAbove, joined, nameOf } from './paths.ts'
import { type Aliases, aliased, endingLike } from './script-aliases.ts'

const script = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/i

/** True if a file, by its name, is JavaScript or TypeScript. */
export function isScript(path: string): boolean {
  return script.test(path) && !/\.d\.[cm]?ts$/i.test(path)
}

/** A package of the tree. */
interface Package {
  readonly folder: string
  readonly manifest: Readonly<Record<string, unknown>>
}

/** The package.json files of a tree, without installed ones. */
export function packagesOf(tree: ModuleTree): readonly Package[] {
  const manifests = tree.paths.filter(
    (path) => nameOf(path) === 'package.json' && !/(?:^|\/)(?:node_modules|fixtures?|testdata)\//.test(path),
  )
  return manifests.map((path) => ({ folder: folderOf(path), manifest: fieldsOf(tree.text(path)) }))
}

const announced =
  /(?<![\w$.])(?:from|import|require[ \t]*\(|require\.resolve[ \t]*\(|import[ \t]*\(|(?:import\.meta\.resolve|(?:vi|jest)\.(?:mock|doMock|unmock|importActual|requireActual))[ \t]*\(|new[ \t]+URL[ \t]*\()\s*(["'`])/g

/** The names of other modules in a script, as they are written. */
export function importsOfScript(tree: ModuleTree, path: string): readonly string[] {
  const text = tree.text(path)
  if (!/\b(?:import|require|from|URL)\b/.test(text)) return []
  const code = tree.code(path)
  const found: string[] = []
  for (const { index, 0: words, 1: quote = '"' } of code.matchAll(announced)) {
    const start = index + words.length
    const end = code.indexOf(quote, start)
    const written = text.slice(start, end)
    const made = quote === '`' ? written.indexOf('${') : -1
    // A computed name may mean any file of its folder.
    if (end > start) found.push(made < 0 ? written : `${written.slice(0, written.lastIndexOf('/', made) + 1)}*`)
  }
  return found
}

interface Names {
  readonly packages: readonly Package[]
  readonly aliases: readonly Aliases[]
}

/** The files of the tree that a script loads. */
export function loadsOfScript(tree: ModuleTree, path: string, names: Names): readonly string[] {
  return importsOfScript(tree, path).flatMap((name) => {
    const found = resolved(tree, name, { path, ...names }) ?? []
    if (found.length > 0 || /^[./]/.test(name) || isInstalled(names.packages, path, name)) return found
    return endingLike(tree, name)
  })
}

/** True if a manifest above a file declares the package of a name as a dependency. */
function isInstalled(packages: readonly Package[], path: string, name: string): boolean {
  const [first = '', second = ''] = name.split('/')
  const wanted = first.startsWith('@') ? `${first}/${second}` : first
  const above = foldersAbove(folderOf(path))
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  return packages.some(
    ({ folder, manifest }) =>
      above.includes(folder) &&
      fields.some((field) => {
        const declared = manifest[field]
        return isObject(declared) && Object.hasOwn(declared, wanted)
      }),
  )
}

const ends = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'json', 'vue', 'svelte', 'd.ts']
const sourceOfBuilt: Readonly<Record<string, readonly string[]>> = {
  js: ['ts', 'tsx', 'jsx'],
  jsx: ['tsx'],
  mjs: ['mts'],
  cjs: ['cts'],
}

/** The file at a path, tried with and without an extension; null for none. */
function scriptAt(tree: ModuleTree, path: string | null): string | null {
  if (path === null) return null
  if (tree.has(path)) return path
  const [, stem = '', end = ''] = /^(.*)\.(\w+)$/.exec(path) ?? []
  const candidates = [
    ...(sourceOfBuilt[end] ?? []).map((each) => `${stem}.${each}`),
    ...ends.map((each) => `${path}.${each}`),
    ...ends.map((each) => (path === '' ? `index.${each}` : `${path}/index.${each}`)),
  ]
  return candidates.find((each) => tree.has(each)) ?? null
}

function resolved(
  tree: ModuleTree,
  written: string,
  { path, packages, aliases }: Names & { readonly path: string },
): readonly string[] | null {
  const name = written.replace(/[?#](?=.).*$/, (rest) => (written.startsWith('#') ? rest : ''))
  const folder = folderOf(path)
  if (name.startsWith('.') && name.endsWith('/*'))
    return tree.filesIn(joined(folder, name.slice(0, -1)) ?? '').filter(isScript)
  if (name.startsWith('.')) return one(scriptAt(tree, joined(folder, name)))
  if (name.startsWith('/')) return one(scriptAt(tree, joined('', name)))
  const own = packageOf(packages, path)
  if (name.startsWith('#')) return own === null ? null : targets(tree, own, own.manifest.imports, name)
  const named = packages.find(({ manifest }) => typeof manifest.name === 'string' && isIn(manifest.name, name))
  if (named !== undefined) {
    const inside = name.slice(String(named.manifest.name).length + 1)
    if (inside === '') return rootOf(tree, named)
    const exported = targets(tree, named, named.manifest.exports, `./${inside}`)
    return exported.length > 0 ? exported : one(scriptAt(tree, joined(named.folder, inside)))
  }
  const isComputed = name.endsWith('/*')
  const meant = aliased(aliases, path, name).flatMap((place) =>
    isComputed ? tree.filesIn(place.slice(0, -2)).filter(isScript) : one(scriptAt(tree, place)),
  )
  if (meant.length > 0) return isComputed ? meant : meant.slice(0, 1)
  // The usual path aliases, even if a tool other than TypeScript declares them.
  const alias = /^[@~]\/(.*)$/.exec(name)?.[1]
  const places = foldersAbove(folder).flatMap((above) => [
    joined(above, `src/${alias ?? name}`),
    joined(above, alias ?? name),
  ])
  for (const place of places) {
    const found = alias === undefined && !name.includes('/') ? null : scriptAt(tree, place)
    if (found !== null) return [found]
  }
  // A URL relative to the file, such as a worker's.
  return tree.has(joined(folder, name) ?? '') ? one(joined(folder, name)) : null
}

const one = (path: string | null): readonly string[] => (path === null ? [] : [path])
const isIn = (name: string, path: string) => path === name || path.startsWith(`${name}/`)

/** The nearest package above a file. */
export function packageOf(packages: readonly Package[], path: string): Package | null {
  const folders = foldersAbove(folderOf(path))
  return folders.map((folder) => packages.find((each) => each.folder === folder)).find(Boolean) ?? null
}

/** The files that `imports` or `exports` maps a name to; `*` stands for the rest of the name. */
function targets(tree: ModuleTree, { folder }: Package, field: unknown, name: string): readonly string[] {
  for (const [key, value] of isObject(field) ? Object.entries(field) : []) {
    const [before = '', after] = key.split('*')
    const isPattern = after !== undefined && name.startsWith(before) && name.endsWith(after)
    if (key !== name && !isPattern) continue
    const rest = isPattern ? name.slice(before.length, name.length - after.length) : ''
    return stringsIn(value).flatMap((each) => sourcesAt(tree, joined(folder, each.replace('*', rest))))
  }
  return []
}

/** The file at a path, or the source of a built file. */
function sourcesAt(tree: ModuleTree, path: string | null): readonly string[] {
  const found = scriptAt(tree, path)
  if (found !== null || path === null) return one(found)
  const source = path.replace(/(^|\/)(?:dist|build|lib|out|cjs|esm)\/(?:(?:cjs|esm)\/)?/, '$1src/')
  return one(scriptAt(tree, source.replace(/\.d\.([cm]?)ts$/, '.$1js')))
}

/** The files that the bare name of a package stands for. */
function rootOf(tree: ModuleTree, own: Package): readonly string[] {
  const { main, module, exports: exported } = own.manifest
  const isOne = !isObject(exported) || !Object.keys(exported).some((key) => key.startsWith('.'))
  const found = targets(tree, own, isOne ? { '.': exported } : exported, '.')
  const named =
    found.length > 0 ? found : [main, module].flatMap(stringsIn).flatMap((each) => filesFor(tree, own, each))
  return named.length > 0 ? named : one(scriptAt(tree, own.folder))
}

/** The entry points of a package for its importers. */
export function mainsOf(tree: ModuleTree, own: Package): readonly string[] {
  const { main, module, browser, types, typings, exports: exported } = own.manifest
  const named = [main, module, browser, types, typings].flatMap(stringsIn)
  const paths = [...named, ...exportedIn(exported)].flatMap((each) => filesFor(tree, own, each))
  return paths.length > 0 ? [...new Set(paths)] : one(scriptAt(tree, own.folder))
}

function exportedIn(field: unknown): readonly string[] {
  return stringsIn(field).filter((path) => !path.endsWith('package.json'))
}

/** The files that a path of a manifest stands for; several for a path with `*`. */
function filesFor(tree: ModuleTree, { folder }: Package, name: string): readonly string[] {
  if (!name.includes('*')) return sourcesAt(tree, joined(folder, name))
  const [before = '', after = ''] = (joined(folder, name) ?? '').split('*')
  const source = before.replace(/(^|\/)(?:dist|build|lib|out)\//, '$1src/')
  const stem = after.replace(/\.\w+$/, '')
  return tree.paths.filter(
    (path) => isScript(path) && (path.startsWith(before) || path.startsWith(source)) && path.includes(stem),
  )
}

/** The programs of a package, and the files that its scripts run, except for tests and checks. */
export function programsOf(tree: ModuleTree, { folder, manifest }: Package): readonly string[] {
  const { bin, scripts } = manifest
  const commands = isObject(scripts)
    ? Object.entries(scripts).flatMap(([name, command]) =>
        typeof command === 'string' && !checking.test(name) ? command.split(/[\s"'=;&|()]+/) : [],
      )
    : []
  const words = commands.filter((word) => /^[\w@./-]+$/.test(word) && /[./]/.test(word))
  return [...stringsIn(bin), ...words].flatMap((each) => sourcesAt(tree, joined(folder, each))).filter(isScript)
}

const checking = /test|spec|lint|check|format|fmt|typecheck|tsc|cover|bench|e2e|ci\b|verify|release|prepare|pre|post/i

/** The usual names of an application's entry points. */
const usual =
  /^(?:(?:src|lib|app|server)\/)?(?:index|main|app|server|cli|entry)\.[cm]?[jt]sx?$|^(?:bin|cmd|pages|api)\/|^(?:src\/)?(?:pages|app|routes|bin|commands)\//

export function startsScript(tree: ModuleTree, { folder }: Package, path: string): boolean {
  const inside = folder === '' ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null
  return inside !== null && (usual.test(inside) || tree.text(path).startsWith('#!'))
}
