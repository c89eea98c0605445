import { nameOf } from '../modules/paths.ts'
import { objectOf } from './package-manifest.ts'
import { tomlTables, tomlText } from './toml-sections.ts'

const nodeParts = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'bundleDependencies',
  'bundledDependencies',
  'dependenciesMeta',
  'trustedDependencies',
  'overrides',
  'resolutions',
  'workspaces',
  'packageManager',
  'pnpm',
  'catalog',
  'catalogs',
]
const composerParts = [
  'require',
  'require-dev',
  'replace',
  'conflict',
  'provide',
  'repositories',
  'minimum-stability',
  'prefer-stable',
]

/**
 * Tables and keys from which packages are installed, as dotted paths. Lock files of Cargo and uv
 * also contain the version of the package itself.
 */
const pythonParts =
  /^(?:project\.(?:version|requires-python|dependencies|optional-dependencies)|dependency-groups|build-system\.requires|tool\.poetry\.(?:dependencies|dev-dependencies|extras|source|group\.[^.]+\.dependencies)|tool\.pdm\.(?:dev-dependencies|source|resolution)|tool\.(?:uv|rye)\.(?:dev-dependencies|sources|index|workspace|override-dependencies|constraint-dependencies)|tool\.hatch\.envs\.[^.]+\.(?:extra-)?dependencies|tool\.pixi\.(?:.+\.)?(?:pypi-)?dependencies)(?:\.|$)/
const cargoParts =
  /^(?:(?:target\..+\.)?(?:dev-|build-)?dependencies|package\.version|workspace\.(?:dependencies|members|exclude|default-members|resolver|package\.version)|features|patch|replace)(?:\.|$)/

/** Directives of Go's module files that decide about the code itself. */
const goOwn = /^(?:module|godebug|ignore)\b/

/**
 * The base's text of a manifest, with the parts of the change from which packages are installed.
 * Null for any other file, or if it cannot be read.
 */
export function withInstalledParts(path: string, { base, change }: Readonly<Record<'base' | 'change', string>>) {
  const name = nameOf(path)
  if (name === 'package.json') return ofJson({ base, change }, nodeParts)
  if (name === 'composer.json') return ofJson({ base, change }, composerParts)
  if (name === 'pyproject.toml') return ofToml({ base, change }, (key) => pythonParts.test(key))
  if (name === 'Cargo.toml') return ofToml({ base, change }, (key) => cargoParts.test(key))
  return /^go\.(?:mod|work)$/.test(name) ? ofGo({ base, change }) : null
}

type Texts = Readonly<Record<'base' | 'change', string>>

function ofJson({ base, change }: Texts, parts: readonly string[]): string | null {
  const [old, now] = [objectOf(base), objectOf(change)]
  if (old === null || now === null) return null
  const made = Object.fromEntries(Object.entries(old).filter(([key]) => !parts.includes(key)))
  for (const key of parts) if (key in now) made[key] = now[key]
  const isSame = parts.every((key) => JSON.stringify(old[key]) === JSON.stringify(now[key]))
  return isSame ? base : `${JSON.stringify(made, null, 2)}\n`
}

function ofToml({ base, change }: Texts, isPart: (key: string) => boolean): string {
  const [old, now] = [tomlTables(base), tomlTables(change)]
  const isInstalling = (section: string, key: string) => isPart(section === '' ? key : `${section}.${key}`)
  const parts = now.flatMap((table) => {
    const entries = table.entries.filter(({ key }) => isInstalling(table.section, key))
    return entries.length === 0 ? [] : [{ ...table, entries }]
  })
  const own = old.map((table) => {
    const kept = table.entries.filter(({ key }) => !isInstalling(table.section, key))
    // TOML forbids a second table of the same name.
    const added = table.isOneOfMany ? [] : parts.filter((part) => !part.isOneOfMany && part.section === table.section)
    return { ...table, kept, entries: [...kept, ...added.flatMap(({ entries }) => entries)] }
  })
  const left = own.filter(
    ({ section, kept, entries }) => section === '' || kept.length + entries.length > 0 || !isPart(section),
  )
  const isThere = (section: string) => left.some((table) => !table.isOneOfMany && table.section === section)
  const rest = parts.filter((part) => part.isOneOfMany || !isThere(part.section))
  const made = tomlText([...left, ...rest])
  return made === tomlText(old) ? base : made
}

function ofGo({ base, change }: Texts): string {
  const own = directivesOf(base).filter((each) => goOwn.test(each))
  const parts = directivesOf(change).filter((each) => !goOwn.test(each))
  const isSame =
    directivesOf(base)
      .filter((each) => !goOwn.test(each))
      .join('\n') === parts.join('\n')
  return isSame ? base : `${[...own, ...parts].join('\n\n')}\n`
}

/** A directive with its block, without comments beside it. */
function directivesOf(text: string): readonly string[] {
  const found: string[] = []
  let isInside = false
  for (const line of text.split('\n')) {
    if (line.trim() === '' || (!isInside && line.trim().startsWith('//'))) continue
    if (isInside) found.push(`${found.pop() ?? ''}\n${line}`)
    else found.push(line)
    isInside = isInside ? !/^\s*\)/.test(line) : /\(\s*(?:\/\/.*)?$/.test(line)
  }
  return found
}
