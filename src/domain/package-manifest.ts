/** A part of a package's manifest that decides about the gate, before and after; null where it is not there. */
export interface ManifestChange {
  readonly key: string
  readonly before: string | null
  readonly after: string | null
}

/** Keys of package.json that say what is run, with what, and how it is judged. */
const guardedKeys = [
  ...['scripts', 'jest', 'vitest', 'mocha', 'ava', 'tap', 'nyc', 'c8', 'babel', 'browserslist'],
  ...[
    'eslintConfig',
    'eslintIgnore',
    'prettier',
    'stylelint',
    'xo',
    'standard',
    'lint-staged',
    'husky',
    'wireit',
    'nx',
  ],
  ...['overrides', 'resolutions', 'pnpm', 'workspaces', 'type', 'imports', 'packageManager', 'engines'],
]

const dependencyKeys = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']

/** What changed in the parts of a manifest that decide about the gate; its dependencies do where they are installed from it. One that cannot be read counts as one part. */
export function manifestChanges(
  path: string,
  [before, after]: readonly [before: string, after: string],
  { isInstalledFrom }: { readonly isInstalledFrom: boolean },
): readonly ManifestChange[] {
  const keys = [...guardedKeys, ...(isInstalledFrom ? dependencyKeys : [])]
  const [old, now] = path.endsWith('.json')
    ? [entriesOfJson(before, keys), entriesOfJson(after, keys)]
    : [sectionsOfToml(before), sectionsOfToml(after)]
  if (old === null || now === null) return before === after ? [] : [{ key: path, before, after }]
  const names = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  return names.flatMap((key) => {
    const change = { key, before: old.get(key) ?? null, after: now.get(key) ?? null }
    return change.before === change.after ? [] : [change]
  })
}

/** `scripts.test` and the like, one entry a member of each guarded key; null when it is no JSON object. */
function entriesOfJson(text: string, keys: readonly string[]): ReadonlyMap<string, string> | null {
  const value = parsed(text)
  if (value === null) return null
  return new Map(
    keys.flatMap((key): readonly (readonly [string, string])[] => {
      const part = Object.hasOwn(value, key) ? value[key] : undefined
      if (part === undefined) return []
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return [[key, JSON.stringify(part)]]
      return Object.entries(part).map(([name, each]) => [
        `${key}.${name}`,
        typeof each === 'string' ? each : JSON.stringify(each),
      ])
    }),
  )
}

function parsed(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** The sections of a TOML file but for the one that only describes the package, by their headers, without comments and empty lines. */
function sectionsOfToml(text: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string>()
  let header = ''
  for (const line of text.split('\n').map((each) => each.trim())) {
    const found = /^\[+\s*([^\]]+?)\s*\]+/.exec(line)
    if (found?.[1] !== undefined) header = found[1]
    else if (line !== '' && !line.startsWith('#') && !describing.test(`${header}.${line}`))
      sections.set(header, `${sections.get(header) ?? ''}${line}\n`)
  }
  return sections
}

const describing =
  /^(project|package|tool\.poetry|workspace\.package)\.\s*(name|version|description|readme|license|authors|maintainers|keywords|categories|homepage|repository|documentation|classifiers|urls)\s*=|^project\.urls\./
