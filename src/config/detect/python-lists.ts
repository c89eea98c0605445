import { posix } from 'node:path'
import { type JsonObject, objectAt } from './json-object.ts'
import { isPlain, type Project } from './project.ts'
import { parseToml } from './toml.ts'

/** A list of packages that can be installed in addition to the project's own dependencies. */
export interface PackageList {
  readonly kind: 'extra' | 'group' | 'file' | 'named'
  /** A file's name is its path. */
  readonly name: string
  readonly packages: readonly string[]
}

export interface Lists {
  /** Packages that the project needs at run time, as far as it names them. */
  readonly own: readonly string[]
  readonly optional: readonly PackageList[]
}

/** All package lists of a Python project, wherever its tools keep them. */
export function packageLists(project: Project): Lists {
  const { files } = project
  const pyproject = parseToml(files['pyproject.toml'])
  const cfg = parseIni(files['setup.cfg'])
  const setup = ofSetup(files['setup.py'] ?? '')
  const table = objectAt(pyproject, 'project')
  const extras = {
    ...objectAt(table, 'optional-dependencies'),
    ...objectAt(objectAt(objectAt(objectAt(pyproject, 'tool'), 'flit'), 'metadata'), 'requires-extra'),
    ...Object.fromEntries(cfg.get('options.extras_require') ?? []),
    ...setup.extras,
  }
  return {
    own: [...strings(table.dependencies), ...(cfg.get('options')?.get('install_requires') ?? []), ...setup.own],
    optional: [
      ...listsOf('extra', extras),
      ...listsOf('group', objectAt(pyproject, 'dependency-groups')),
      ...requirementFiles(project).map(
        (name): PackageList => ({ kind: 'file', name, packages: packagesIn(project, name) }),
      ),
      ...namedLists(project, pyproject, { cfg, setup: setup.tests }),
    ],
  }
}

function listsOf(kind: PackageList['kind'], table: JsonObject): readonly PackageList[] {
  return Object.entries(table)
    .map(([name, value]) => ({ kind, name, packages: strings(value) }))
    .filter(({ name }) => isName(name))
}

/** True if the name of an extra or a group needs no quoting in a command. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]*$/.test(name)
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

/** The package name of a requirement, normalized as registries compare names. */
export function packageName(requirement: string): string | null {
  const name = /^\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:$|[[(<>=!~;@,#])/.exec(requirement)?.[1]
  return name === undefined ? null : normalName(name)
}

export function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}

/** Files of any name that list pip requirements, one per line. */
function requirementFiles({ files }: Project): readonly string[] {
  const found = Object.keys(files).filter((path) => {
    const shape = /^(?:[^/]+\/)?[^/]+\.(txt|in|pip)$/.exec(path)
    if (shape === null || !isPlain(path) || /constraint/i.test(path)) return false
    if (shape[1] === 'in' && path.replace(/in$/, 'txt') in files) return false
    return isRequirementList(files[path] ?? '')
  })
  return found.sort()
}

/**
 * Prose has lines that are not requirements, and a list of words has neither versions nor options.
 */
export function isRequirementList(text: string): boolean {
  const lines = significant(text)
  const isOption = (line: string) => /^-{1,2}[a-z]/.test(line)
  const requires = /^[A-Za-z0-9][\w.-]*\s*(?:\[[^\]]*\])?\s*(?:$|[<>=!~;@(].*)/
  return (
    lines.length > 0 && lines.every((line) => isOption(line) || requires.test(line) || /^(?:git\+)?https?:/.test(line))
  )
}

function significant(text: string): readonly string[] {
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*/, '').trim())
    .filter((line) => line !== '')
}

/** The packages that a file requires, including those of the files that it includes. */
function packagesIn(project: Project, path: string): readonly string[] {
  return includedFiles(project, [path], 'r').flatMap((each) => significant(project.files[each] ?? ''))
}

/** The files, and those that they include. */
export function includedFiles(
  { files }: Project,
  paths: readonly string[],
  options: 'r' | 'rc' = 'rc',
): readonly string[] {
  const found = new Set<string>()
  const flag = options === 'r' ? 'r|-requirement' : 'r|c|-requirement|-constraint'
  const visit = (path: string) => {
    if (found.has(path) || !isPlain(path)) return
    found.add(path)
    for (const [, other = ''] of (files[path] ?? '').matchAll(new RegExp(`^\\s*-(?:${flag})[\\s=]*(\\S+)`, 'gm')))
      visit(posix.join(posix.dirname(path), other))
  }
  for (const path of paths) visit(path)
  return [...found]
}

interface Legacy {
  readonly cfg: Sections
  /** tests_require of setup.py. */
  readonly setup: readonly string[]
}

/** Lists that only other tools can read: pip gets their packages one by one. */
function namedLists(project: Project, pyproject: JsonObject, { cfg, setup }: Legacy): readonly PackageList[] {
  const { files } = project
  const tool = objectAt(pyproject, 'tool')
  const hatch = { ...objectAt(objectAt(tool, 'hatch'), 'envs'), ...objectAt(parseToml(files['hatch.toml']), 'envs') }
  const tox = objectAt(tool, 'tox')
  const inTox = parseIni(typeof tox.legacy_tox_ini === 'string' ? tox.legacy_tox_ini : files['tox.ini'])
  const nativeTox = Object.keys(tox).length > 0 ? tox : parseToml(files['tox.toml'])
  const lists: Readonly<Record<string, readonly string[]>> = {
    'tests_require in setup.py': setup,
    'tests_require in setup.cfg': cfg.get('options')?.get('tests_require') ?? [],
    ...named('pdm', objectAt(objectAt(tool, 'pdm'), 'dev-dependencies')),
    ...Object.fromEntries(
      Object.keys(hatch).map((name) => [
        `hatch ${name}`,
        ['dependencies', 'extra-dependencies'].flatMap((key) => strings(objectAt(hatch, name)[key])),
      ]),
    ),
    ...Object.fromEntries([...inTox].map(([name, keys]) => [name, (keys.get('deps') ?? []).map(withoutFactors)])),
    tox: strings(objectAt(nativeTox, 'env_run_base').deps),
    ...Object.fromEntries(
      Object.keys(objectAt(nativeTox, 'env')).map((name) => [
        `tox ${name}`,
        strings(objectAt(objectAt(nativeTox, 'env'), name).deps),
      ]),
    ),
    ...noxSessions(files['noxfile.py'] ?? ''),
  }
  return Object.entries(lists).flatMap(([name, all]): PackageList[] => {
    const here = all.map((each) => each.replaceAll('{toxinidir}/', '').trim())
    const direct = here.filter((each) => packageName(each) !== null && /^[\w\s.,<>=!~()[\];'"@:/+-]*$/.test(each))
    return direct.length === 0 ? [] : [{ kind: 'named', name, packages: direct }]
  })
}

function named(tool: string, table: JsonObject): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [`${tool} ${name}`, strings(value)]))
}

/** tox puts the environments of a package before its name. */
function withoutFactors(line: string): string {
  return line.replace(/^[\w{},!-]+:\s+/, '')
}

const text = String.raw`"[^"\n]*"|'[^'\n]*'`
const list = String.raw`[[(](?:[^[\]()"']|${text})*[\])]`

function textsIn(code: string): readonly string[] {
  return [...code.matchAll(new RegExp(text, 'g'))].map(([found]) => found.slice(1, -1))
}

/** Packages that the test sessions of nox install. */
function noxSessions(code: string): Readonly<Record<string, readonly string[]>> {
  const sessions = [...code.matchAll(/^(?:async )?def (\w+)\(.*\n((?:[ \t].*\n?|\n)*)/gm)]
  return Object.fromEntries(
    sessions.flatMap(([, name = '', body = '']) => {
      if (!/session\.run\([^)]*["'](?:pytest|unittest|py\.test)["']/.test(body)) return []
      const installed = [...body.matchAll(new RegExp(String.raw`session\.install(\((?:[^()"']|${text})*\))`, 'g'))]
      return [[`nox ${name}`, installed.flatMap(([, given = '']) => textsIn(given))]]
    }),
  )
}

interface Setup {
  readonly own: readonly string[]
  readonly extras: Readonly<Record<string, readonly string[]>>
  readonly tests: readonly string[]
}

/** Reads the lists in a setup.py, literal or in a variable. */
function ofSetup(code: string): Setup {
  const given = (value: string): readonly string[] => {
    if (!/^\w+$/.test(value)) return textsIn(value)
    return textsIn(new RegExp(String.raw`^\s*${value}\s*=\s*(${list})`, 'm').exec(code)?.[1] ?? '')
  }
  const argument = (name: string) => given(new RegExp(String.raw`\b${name}\s*=\s*(${list}|\w+)`).exec(code)?.[1] ?? '')
  const entries = [...code.matchAll(new RegExp(String.raw`["']([\w.-]+)["']\]?\s*[:=]\s*(${list}|\w+)`, 'g'))]
  const extras = entries.map(([, name = '', value = '']) => [name, given(value)] as const)
  return {
    own: argument('install_requires'),
    extras: code.includes('extras_require') ? Object.fromEntries(extras.filter(([, found]) => found.length > 0)) : {},
    tests: argument('tests_require'),
  }
}

type Sections = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

/** Parses a file such as setup.cfg or tox.ini: the lines of each value, by section and key. */
function parseIni(text: string | undefined): Sections {
  const sections = new Map<string, Map<string, string[]>>()
  let section = new Map<string, string[]>()
  let value: string[] | undefined
  for (const line of (text ?? '').split('\n')) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue
    const header = /^\[([^\]]+)\]/.exec(line)?.[1]
    const [, key, first = ''] = /^([^\s=:][^=:]*?)\s*[=:]\s*(.*)$/.exec(line) ?? []
    if (header !== undefined) {
      section = sections.get(header) ?? new Map()
      sections.set(header, section)
      value = undefined
    } else if (/^\s/.test(line)) value?.push(line.trim())
    else if (key !== undefined) {
      value = first === '' ? [] : [first]
      section.set(key, value)
    }
  }
  return sections
}
