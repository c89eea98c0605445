import { isObject, parsedJson } from '../../json.ts'
import { tomlSections } from './toml-sections.ts'

/**
 * A part of a package's manifest that decides about the gate, before and after; null where it is
 * absent.
 */
export interface ManifestChange {
  readonly key: string
  readonly before: string | null
  readonly after: string | null
}

/**
 * Keys that only describe a package. Any other key may be read by a tool that decides about the
 * gate.
 */
const describingKeys: ReadonlySet<string> = new Set([
  'name',
  'version',
  'description',
  'keywords',
  'homepage',
  'bugs',
  'license',
  'licenses',
  'author',
  'authors',
  'contributors',
  'maintainers',
  'funding',
  'repository',
  'support',
  'readme',
  'private',
  'publishConfig',
  'files',
  'main',
  'module',
  'browser',
  'types',
  'typings',
  'typesVersions',
  'bin',
  'man',
  'exports',
  'sideEffects',
  'unpkg',
  'jsdelivr',
  'directories',
  'icon',
  'displayName',
  'publisher',
  'categories',
  'contributes',
  '$schema',
])

const dependencyKeys: ReadonlySet<string> = new Set([
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
])

/**
 * The changed parts of a manifest that decide about the gate. Dependencies count if they are
 * installed from this manifest. A manifest that cannot be read counts as one part.
 */
export function manifestChanges(
  path: string,
  [before, after]: readonly [before: string, after: string],
  { isInstalledFrom }: { readonly isInstalledFrom: boolean },
): readonly ManifestChange[] {
  const isDeciding = (key: string) => !describingKeys.has(key) && (isInstalledFrom || !dependencyKeys.has(key))
  const [old, now] = path.endsWith('.json')
    ? [entriesOfJson(before, isDeciding), entriesOfJson(after, isDeciding)]
    : [tomlSections(before, isDescribing), tomlSections(after, isDescribing)]
  if (old === null || now === null) return before === after ? [] : [{ key: path, before, after }]
  const names = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  return names.flatMap((key) => {
    const change = { key, before: old.get(key) ?? null, after: now.get(key) ?? null }
    return change.before === change.after ? [] : [change]
  })
}

/** The files that package.json names as programs, from its own folder. */
export function programsIn(text: string): readonly string[] {
  const bin = objectOf(text)?.bin
  const all: readonly unknown[] = typeof bin === 'object' && bin !== null ? Object.values(bin) : [bin]
  return all.filter((each) => typeof each === 'string')
}

/**
 * `scripts.test` and the like, one entry for each member of a deciding key; null if the text is not
 * a JSON object.
 */
function entriesOfJson(text: string, isDeciding: (key: string) => boolean): ReadonlyMap<string, string> | null {
  const value = objectOf(text)
  if (value === null) return null
  return new Map(
    Object.entries(value).flatMap(([key, part]): readonly (readonly [string, string])[] => {
      if (!isDeciding(key)) return []
      // A quoted key cannot be confused with a part of another one.
      const top = key.includes('.') ? JSON.stringify(key) : key
      if (!isObject(part)) return [[top, JSON.stringify(part)]]
      return Object.entries(part).map(([name, each]) => [
        `${top}.${name}`,
        typeof each === 'string' ? each : JSON.stringify(each),
      ])
    }),
  )
}

/** Parses a JSON object, an empty one for an empty text; null if the text is not a JSON object. */
export function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  const json = text.replace(/^\uFEFF/, '')
  const value = json.trim() === '' ? {} : parsedJson(json)
  return isObject(value) ? value : null
}

const describedSections: ReadonlySet<string> = new Set(['project', 'package', 'tool.poetry', 'workspace.package'])

/** True for keys of a TOML manifest that only describe the package. */
function isDescribing(section: string, key: string): boolean {
  if (section === 'project.urls' || section === 'package.metadata.docs.rs') return true
  if (!describedSections.has(section)) return false
  const first = key.split('.', 1)[0] ?? ''
  return describingToml.has(first)
}

const describingToml: ReadonlySet<string> = new Set([
  'name',
  'version',
  'description',
  'readme',
  'license',
  'license-file',
  'license-files',
  'authors',
  'maintainers',
  'keywords',
  'categories',
  'homepage',
  'repository',
  'documentation',
  'classifiers',
  'urls',
  'publish',
])
