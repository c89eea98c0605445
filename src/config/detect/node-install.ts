import { posix } from 'node:path'
import { type JsonObject, objectAt, parseObject } from './json-object.ts'
import { dependenciesOf } from './node-scripts.ts'
import { isPlain, type PrepareStep, type Project, present, toolFolder } from './project.ts'

export interface Install {
  /** Null if there is nothing to install. */
  readonly prepare: PrepareStep | null
  /** The prefix of all steps' commands. */
  readonly before: string
  readonly notes: readonly string[]
}

/** The lockfiles of each package manager, in order of precedence. */
const lockfiles = {
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
  npm: ['npm-shrinkwrap.json', 'package-lock.json'],
} as const

type Manager = keyof typeof lockfiles

const managers = Object.keys(lockfiles) as readonly Manager[]

export function hasLockfile(project: Project): boolean {
  return managers.some((manager) => lockfileOf(project, manager) !== undefined)
}

function lockfileOf({ files }: Project, manager: Manager): string | undefined {
  return lockfiles[manager].find((name) => name in files)
}

/** The manager named in "packageManager", unless only another one's lockfile exists. */
export function managerOf(project: Project, { packageManager }: JsonObject): Manager {
  const locked = managers.filter((manager) => lockfileOf(project, manager) !== undefined)
  const named = managers.find((manager) => String(packageManager ?? '').startsWith(`${manager}@`))
  if (named !== undefined && (locked.length === 0 || locked.includes(named))) return named
  return locked[0] ?? ('pnpm-workspace.yaml' in project.files ? 'pnpm' : 'npm')
}

/**
 * The commands with which the package manager installs packages into the layer; `scripts` is the
 * text of the scripts that the steps will run.
 */
export function findInstall(project: Project, manifest: JsonObject, scripts: string): Install {
  const manager = managerOf(project, manifest)
  const { notes, ...install } = { pnpm, yarn, bun, npm }[manager](project, manifest, scripts)
  if (install.prepare === null || lockfileOf(project, manager) !== undefined) return { ...install, notes }
  const wanted = { pnpm: 'pnpm-lock.yaml', yarn: 'yarn.lock', bun: 'bun.lock', npm: 'package-lock.json' }[manager]
  const note = `There is no ${wanted}: what is installed can differ from one machine to the next. Commit one.`
  return { ...install, notes: [...notes, note] }
}

/** Programs that run the scripts of packages through the workspace's package manager. */
const runsPackages = /\b(?:turbo|nx|lerna)\b/

/** Dependencies that only a workspace can provide, if the repository has no workspace. */
export function workspaceNeeds(project: Project, manifest: JsonObject): readonly string[] {
  const inRepository = [project, ...(project.inside ? [project.inside.repository] : [])]
  const isPart = inRepository.some(({ files }) =>
    Object.entries(files).some(
      ([path, text]) =>
        /(?:^|\/)pnpm-workspace\.yaml$/.test(path) ||
        (/(?:^|\/)package\.json$/.test(path) && text.includes('"workspaces"')),
    ),
  )
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']
  const needed = kinds
    .flatMap((kind) => Object.entries(objectAt(manifest, kind)))
    .filter(([, version]) => /^(?:workspace|catalog):/.test(String(version)))
    .map(([name]) => name)
  if (isPart || needed.length === 0) return []
  return [
    `package.json takes ${needed.join(', ')} from a workspace that is not in this repository: they cannot be installed. Work in the repository of the workspace, or depend on versions of the registry.`,
  ]
}

function npm(project: Project, manifest: JsonObject): Install {
  const lockfile = lockfileOf(project, 'npm')
  const locked = lockfile === undefined ? null : parseObject(project.files[lockfile])
  const folders = workspaceFolders(project, manifest)
  const needed = dependenciesOf(manifest).size > 0 || folders.length > 0
  if (!needed) return { prepare: null, before: '', notes: [] }
  const nested = new Set(
    Object.keys(objectAt(locked ?? {}, 'packages'))
      .flatMap(nestedModules)
      .filter(isPlain),
  )
  const install = locked === null ? 'npm install --no-save --no-package-lock' : 'npm ci'
  return {
    prepare: {
      name: 'install',
      command: [`${install} --no-audit --no-fund`, ...[...nested].map((path) => `mkdir -p ${path}`)].join(' && '),
      inputs: inputs(project, folders, lockfile === undefined ? [] : [lockfile]),
      outputs: ['node_modules', ...nested],
      network: ['registry'],
    },
    before: '',
    notes: [],
  }
}

/**
 * For `packages/a/node_modules/b`, the folder below the root; all its packages may be for another
 * platform.
 */
function nestedModules(path: string): readonly string[] {
  const folder = path.slice(0, path.indexOf('/node_modules/'))
  return path.includes('/node_modules/') && !path.startsWith('node_modules/') ? [`${folder}/node_modules`] : []
}

function pnpm(project: Project, manifest: JsonObject, scripts: string): Install {
  const locked = project.files['pnpm-lock.yaml']
  const lockfile = locked ?? ''
  const folders = locked === undefined ? pnpmFolders(project) : importers(lockfile)
  const format = /^lockfileVersion:\s*'?(\d+)/m.exec(lockfile)?.[1] ?? ''
  const version = ofManager(manifest, 'pnpm') ?? { '5': '7', '6': '8', '9': '9' }[format] ?? '10'
  const tool = { name: 'pnpm', spec: `pnpm@${version}`, called: isCalled('pnpm', scripts) }
  return withTool(tool, {
    needed:
      (locked === undefined ? dependenciesOf(manifest).size > 0 : /^(?:packages|snapshots):/m.test(lockfile)) ||
      folders.length > 0,
    // Links into a store outside the layer would lead nowhere in a step.
    install: `install ${locked === undefined ? '--no-lockfile' : '--frozen-lockfile'} --store-dir "$TMPDIR/store" --package-import-method copy`,
    inputs: inputs(project, folders, ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs']),
    folders,
  })
}

// Yarn's own resolution needs a file at the root, which a layer cannot hold, and yarn runs no
// script without its state file.
const berryVariables = [
  'YARN_NODE_LINKER=node-modules',
  'YARN_INSTALL_STATE_PATH="$PWD/node_modules/.yarn-install-state.gz"',
].join(' ')

function yarn(project: Project, manifest: JsonObject, scripts: string): Install {
  const folders = workspaceFolders(project, manifest)
  const needed = dependenciesOf(manifest).size > 0 || folders.length > 0
  const named = ofManager(manifest, 'yarn')
  const called = isCalled('yarn', scripts)
  const locked = project.files['yarn.lock']
  const lockfile = locked ?? ''
  const isFirst = locked === undefined ? /^1\b/.test(named ?? '1') : !lockfile.includes('__metadata:')
  if (isFirst) {
    return withTool(
      { name: 'yarn', spec: `yarn@${named ?? '1'}`, called },
      {
        needed,
        folders,
        install: `install ${locked === undefined ? '--no-lockfile' : '--frozen-lockfile'} --non-interactive`,
        inputs: inputs(project, folders, ['yarn.lock', '.yarnrc']),
        hosts: resolvedHosts(lockfile),
      },
    )
  }
  const release = /^yarnPath:.*yarn-(\d[\w.-]*)\.cjs/m.exec(project.files['.yarnrc.yml'] ?? '')
  const spec = `@yarnpkg/cli-dist@${named ?? release?.[1] ?? '4'}`
  return withTool(
    { name: 'yarn', spec, called, variables: berryVariables },
    {
      needed,
      folders,
      install: locked === undefined ? 'install --no-immutable' : 'install --immutable',
      inputs: inputs(project, folders, ['yarn.lock', '.yarnrc.yml']),
    },
  )
}

function bun(project: Project, manifest: JsonObject, scripts: string): Install {
  const folders = workspaceFolders(project, manifest)
  const locked = lockfileOf(project, 'bun') !== undefined
  const called = isCalled('bun', scripts) || /\bbunx\b/.test(scripts)
  return withTool(
    { name: 'bun', spec: `bun@${ofManager(manifest, 'bun') ?? '1'}`, called },
    {
      needed: dependenciesOf(manifest).size > 0 || folders.length > 0,
      install: `install ${locked ? '--frozen-lockfile' : '--no-save'} --cache-dir "$TMPDIR/bun"`,
      inputs: inputs(project, folders, ['bun.lock', 'bun.lockb', 'bunfig.toml']),
      folders,
    },
  )
}

function isCalled(manager: Manager, scripts: string): boolean {
  return new RegExp(`\\b${manager}\\b`).test(scripts) || runsPackages.test(scripts)
}

interface Tool {
  readonly name: string
  /** The npm package spec of the tool. */
  readonly spec: string
  /** True if scripts call the tool, which must then exist, without a network, when steps run. */
  readonly called: boolean
  readonly variables?: string
}

interface Installing {
  readonly needed: boolean
  readonly install: string
  readonly inputs: readonly string[]
  /** Folders of a workspace's packages. */
  readonly folders: readonly string[]
  /** Hosts of packages in addition to the registry. */
  readonly hosts?: readonly string[]
}

/**
 * npm installs the package manager in the version that the project requires, whatever the machine
 * has; npm also runs the scripts.
 */
function withTool(
  { name, spec, called, variables }: Tool,
  { needed, install, inputs, folders, hosts = [] }: Installing,
): Install {
  if (!needed && !called) return { prepare: null, before: '', notes: [] }
  const modules = ['node_modules', ...folders.map((folder) => `${folder}/node_modules`)]
  const run = called ? `${toolFolder}/node_modules/.bin/${name}` : `npx --yes --package ${spec} ${name}`
  const commands = [
    ...(called ? [`npm install --no-save --no-package-lock --no-audit --no-fund --prefix ${toolFolder} ${spec}`] : []),
    ...(variables ? [`export ${variables} YARN_GLOBAL_FOLDER="$TMPDIR/yarn"`] : []),
    `${run} ${install}`,
    // A package without its own dependencies gets no node_modules, so the folders are created.
    `mkdir -p ${modules.join(' ')}`,
  ]
  return {
    prepare: {
      name: 'install',
      command: commands.join(' && '),
      inputs: [...inputs],
      outputs: [...modules, ...(called ? [toolFolder] : [])],
      network: ['registry', ...hosts],
    },
    before: called ? `${variables ? `${variables} ` : ''}PATH="$PWD/${toolFolder}/node_modules/.bin:$PATH" ` : '',
    notes: [],
  }
}

/** Yarn 1 fetches each package from the URL in its lockfile, whatever the registry is. */
function resolvedHosts(lockfile: string): readonly string[] {
  const hosts = [...lockfile.matchAll(/^ {2}resolved "https?:\/\/([\w.-]*\w(?::\d{1,5})?)\//gm)]
  return [...new Set(hosts.map((match) => match[1] ?? ''))].filter((host) => /^[A-Za-z0-9]/.test(host))
}

/** The version in "packageManager", without its checksum. */
function ofManager(manifest: JsonObject, name: string): string | null {
  const [, manager, version] = /^(\w+)@(\d[\w.-]*)/.exec(String(manifest.packageManager ?? '')) ?? []
  return manager === name && version !== undefined ? version : null
}

function inputs(project: Project, folders: readonly string[], others: readonly string[]): string[] {
  const manifests = ['', ...folders].map((folder) => posix.join(folder, 'package.json'))
  return [...manifests, ...present(project, [...others, '.npmrc', 'patches', '.yarn/patches'])]
}

/** The folders of a workspace's packages, for every package manager. */
export function memberFolders(project: Project, manifest: JsonObject): readonly string[] {
  return 'pnpm-workspace.yaml' in project.files ? pnpmFolders(project) : workspaceFolders(project, manifest)
}

/** The folders of the packages that `workspaces` names. */
function workspaceFolders(project: Project, { workspaces }: JsonObject): readonly string[] {
  const list = Array.isArray(workspaces) ? workspaces : objectAt({ workspaces }, 'workspaces').packages
  return matching(project, Array.isArray(list) ? list.map(String) : [])
}

/** The folders of the packages that pnpm-workspace.yaml names. */
function pnpmFolders(project: Project): readonly string[] {
  const text = project.files['pnpm-workspace.yaml'] ?? ''
  const section = /^packages:[ \t]*\n((?:[ \t]*(?:-.*|#.*)?\n?)*)/m.exec(text)?.[1] ?? ''
  return matching(
    project,
    [...section.matchAll(/^\s*-\s*(['"]?)([^'"#\n]+?)\1\s*(?:#.*)?$/gm)].map(([, , pattern = '']) => pattern),
  )
}

function matching({ files }: Project, all: readonly string[]): readonly string[] {
  const globs = (patterns: readonly string[]) => patterns.map((pattern) => posix.normalize(`${pattern}/package.json`))
  const patterns = globs(all.filter((pattern) => !pattern.startsWith('!')))
  const not = globs(all.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : [])))
  const matches = (path: string, among: readonly string[]) => among.some((each) => posix.matchesGlob(path, each))
  return Object.keys(files)
    .filter((path) => matches(path, patterns) && !matches(path, not))
    .map((path) => posix.dirname(path))
    .filter((folder) => folder !== '.' && isPlain(folder))
}

/** The folders of the packages in a pnpm lockfile, except the root. */
function importers(lockfile: string): readonly string[] {
  const section = /^importers:\n((?:[ \t].*\n|\n)*)/m.exec(lockfile)?.[1] ?? ''
  const keys = [...section.matchAll(/^ {2}(['"]?)(\S.*?)\1:/gm)].map((match) => match[2] ?? '')
  return keys.filter((key) => key !== '.' && isPlain(key))
}
