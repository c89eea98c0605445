import { joined } from '../modules/paths.ts'
import { type ManifestChange, objectOf } from './package-manifest.ts'

type Manifest = Readonly<Record<string, unknown>>
/** True if the base commit has a file at a path from the folder of the manifest. */
type IsFile = (path: string) => boolean

/**
 * The entries of a package.json that lead to a different file than before, for a program that loads
 * the package by its name or runs one of its commands. An additional entry does not count, nor does
 * a removed one, since nothing can load it.
 */
export function changedEntries(before: string, after: string, isFile: IsFile): readonly ManifestChange[] {
  const [old, now] = [objectOf(before), objectOf(after)]
  if (old === null || now === null) return []
  return [
    ...changedExports(old, now, isFile),
    ...changedMain(old, now, isFile),
    ...changedCommands(old, now),
    ...changedBrowser(old, now, isFile),
  ]
}

const mostConditions = 8
const mostRequests = 500
/** No loader sets both conditions of a pair. */
const exclusive = [
  ['import', 'require'],
  ['development', 'production'],
]

function changedExports(old: Manifest, now: Manifest, isFile: IsFile): readonly ManifestChange[] {
  const [given, found] = [entriesOf(old.exports), entriesOf(now.exports)]
  if (given === null && found === null) return []
  const names = [...new Set([...conditionsIn(old.exports), ...conditionsIn(now.exports)])].slice(0, mostConditions)
  const sets = subsetsOf(names)
  const keys = new Set(['.', ...Object.keys(given ?? {}), ...Object.keys(found ?? {})])
  return [...keys].slice(0, mostRequests).flatMap((key) => {
    // No file has this name, so only a pattern or a folder can match it.
    const request = key.replace('*', 'drydock-entry').replace(/\/$/, '/drydock-entry')
    for (const conditions of sets) {
      const was = given === null ? withoutExports(old, request, isFile) : resolved(given, request, conditions)
      const is = found === null ? withoutExports(now, request, isFile) : resolved(found, request, conditions)
      if (was === undefined || is === undefined || was === is) continue
      const by = conditions.size === 0 ? '' : ` (${[...conditions].join(', ')})`
      return [{ key: `exports ${JSON.stringify(key)}${by}`, before: was, after: is }]
    }
    return []
  })
}

type Entries = Readonly<Record<string, unknown>>

function entriesOf(exported: unknown): Entries | null {
  if (exported === undefined || exported === null) return null
  const isByRequest =
    typeof exported === 'object' &&
    !Array.isArray(exported) &&
    Object.keys(exported).every((key) => key.startsWith('.'))
  return isByRequest ? (exported as Entries) : { '.': exported }
}

function conditionsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value).filter((key) => !/^\.|^default$|^types\b/.test(key))
  return [...own, ...Object.values(value).flatMap(conditionsIn)]
}

function subsetsOf(names: readonly string[]): readonly ReadonlySet<string>[] {
  const all = Array.from(
    { length: 2 ** names.length },
    (_, bits) => new Set(names.filter((_name, i) => bits & (1 << i))),
  )
  return all.filter((set) => !exclusive.some((pair) => pair.every((each) => set.has(each))))
}

/** The file for a request; undefined where there is none. */
function resolved(entries: Entries, request: string, conditions: ReadonlySet<string>): string | undefined {
  if (Object.hasOwn(entries, request)) return targetOf(entries[request], conditions)
  const fitting = Object.keys(entries).filter((key) => {
    const [start = '', end] = key.split('*')
    if (end === undefined) return key.endsWith('/') && request.startsWith(key)
    return request.startsWith(start) && request.endsWith(end) && request.length >= start.length + end.length
  })
  const length = (key: string) => key.split('*', 1)[0]?.length ?? 0
  const [best] = fitting.toSorted((one, other) => length(other) - length(one) || other.length - one.length)
  if (best === undefined) return undefined
  const [start = '', end] = best.split('*')
  const rest = request.slice(start.length, request.length - (end?.length ?? 0))
  const target = targetOf(entries[best], conditions)
  return end === undefined ? target && `${target}/${rest}` : target?.replaceAll('*', rest)
}

function targetOf(value: unknown, conditions: ReadonlySet<string>): string | undefined {
  if (typeof value === 'string') return plain(value)
  if (typeof value !== 'object' || value === null) return undefined
  const fitting = Array.isArray(value)
    ? value
    : Object.entries(value).flatMap(([key, each]) => (key === 'default' || conditions.has(key) ? [each] : []))
  for (const each of fitting) {
    const found = targetOf(each, conditions)
    if (found !== undefined || each === null) return found
  }
  return undefined
}

/** Without `exports` a request is a path, and the package itself is its `main`. */
function withoutExports(manifest: Manifest, request: string, isFile: IsFile): string | undefined {
  return request === '.' ? mainOf(manifest, isFile) : fileAt(plain(request), isFile)
}

function mainOf({ main }: Manifest, isFile: IsFile): string | undefined {
  if (typeof main === 'string') return fileAt(plain(main), isFile) ?? plain(main)
  return fileAt('index', isFile)
}

function fileAt(path: string, isFile: IsFile): string | undefined {
  return ['', '.js', '.json', '/index.js'].map((end) => `${path}${end}`.replace(/^\//, '')).find(isFile)
}

const plain = (path: string) => joined('', path) ?? path

function changedMain(old: Manifest, now: Manifest, isFile: IsFile): readonly ManifestChange[] {
  const fields = ['main', 'module'].filter((field) => old[field] !== now[field])
  return fields.flatMap((field) => {
    // With `exports`, a change of `main` is reported only if both manifests have it.
    if (field === 'main' && (entriesOf(old.exports) === null) !== (entriesOf(now.exports) === null)) return []
    const at = (manifest: Manifest) => {
      const own = manifest[field]
      return typeof own === 'string' ? (fileAt(plain(own), isFile) ?? plain(own)) : mainOf(manifest, isFile)
    }
    const [was, is] = [at(old), at(now)]
    return was === undefined || is === undefined || was === is ? [] : [{ key: field, before: was, after: is }]
  })
}

function changedCommands(old: Manifest, now: Manifest): readonly ManifestChange[] {
  const commandsOf = ({ bin, name }: Manifest): Readonly<Record<string, unknown>> => {
    const own = typeof name === 'string' ? (name.split('/').at(-1) ?? '') : ''
    return typeof bin === 'string' ? { [own]: bin } : typeof bin === 'object' && bin !== null ? { ...bin } : {}
  }
  const [given, found] = [commandsOf(old), commandsOf(now)]
  return Object.entries(given).flatMap(([name, was]) => {
    const is = found[name]
    const isSame = typeof was !== 'string' || typeof is !== 'string' || plain(was) === plain(is)
    return isSame ? [] : [{ key: `bin ${JSON.stringify(name)}`, before: was, after: is }]
  })
}

/** Bundlers load the replacements that `browser` names. */
function changedBrowser(old: Manifest, now: Manifest, isFile: IsFile): readonly ManifestChange[] {
  const mapOf = ({ browser, ...rest }: Manifest): Readonly<Record<string, unknown>> => {
    const own = mainOf(rest, isFile)
    if (typeof browser === 'string') return own === undefined ? {} : { [own]: browser }
    return typeof browser === 'object' && browser !== null ? { ...browser } : {}
  }
  const [given, found] = [mapOf(old), mapOf(now)]
  return Object.entries(found).flatMap(([name, is]) => {
    const was = given[name]
    const isOfBase = !name.startsWith('.') || fileAt(plain(name), isFile) !== undefined
    if (JSON.stringify(was) === JSON.stringify(is) || (was === undefined && !isOfBase)) return []
    return [
      { key: `browser ${JSON.stringify(name)}`, before: was === undefined ? null : String(was), after: String(is) },
    ]
  })
}
