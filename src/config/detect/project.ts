import type { RepositoryConfigInput } from '../schema.ts'
import { isForeign } from './foreign.ts'

/**
 * What a repository, or a folder of it, holds that says how it is built and tested. Paths are
 * relative to it.
 */
export interface Project {
  /** Contents of the files that `isDetected` names. */
  readonly files: Readonly<Record<string, string>>
  readonly folders: ReadonlySet<string>
  /** The repository of which it is a folder. */
  readonly inside?: { readonly repository: Project; readonly folder: string }
}

type Verification = NonNullable<RepositoryConfigInput['verification']>
export type PrepareStep = NonNullable<Verification['prepare']>[number]
export type Step = NonNullable<Verification['steps']>[number]

/** What the sandbox has on this machine, as far as it decides what has to be installed. */
export interface Machine {
  readonly pytest: boolean
  /** Whether its ctest writes reports. */
  readonly ctestReports: boolean
}

/** What one build system adds to a configuration. */
export interface Found {
  /** Put before the names of the steps when there is more than one build system. */
  readonly system: string
  readonly from: string
  readonly prepare?: PrepareStep
  readonly steps: readonly Step[]
  /**
   * Steps that do less than those of their names, for where these fail before anything is changed.
   */
  readonly instead?: readonly Step[]
  /** Why the steps need a tree that they can write to; without it they have a read-only one. */
  readonly overlay?: string
  /** What a person should know before relying on it, one sentence each. */
  readonly notes?: readonly string[]
  /** What must be on the PATH of a sandbox. */
  readonly programs: readonly string[]
}

/** Where the steps of all build systems leave their report of tests, below $ARTIFACT_DIR. */
export const reportFile = 'logs/junit.xml'
export const reportPath = `$ARTIFACT_DIR/${reportFile}`

/** Folder for what is installed beside the project's own: nobody has files there. */
export const toolFolder = '.drydock/tools'

const names = new Set([
  ...['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
  ...['yarn.lock', '.yarnrc', '.yarnrc.yml', '.pnp.cjs', '.pnpmfile.cjs'],
  ...['bun.lock', 'bun.lockb', 'bunfig.toml', 'turbo.json', 'nx.json', 'project.json', 'lerna.json'],
  ...['deno.json', 'deno.jsonc', 'deno.lock'],
  ...['Cargo.toml', 'Cargo.lock', 'go.mod', 'go.sum', 'go.work', 'go.work.sum'],
  ...['pyproject.toml', 'poetry.lock', 'uv.lock', 'pdm.lock', 'pytest.ini', 'setup.py', 'setup.cfg', 'conftest.py'],
  ...['tox.ini', 'tox.toml', 'hatch.toml', 'noxfile.py', 'Pipfile', 'Pipfile.lock', 'environment.yml', 'manage.py'],
  ...['Makefile', 'makefile', 'GNUmakefile', 'CMakeLists.txt', 'meson.build'],
  ...['configure.ac', 'configure.in', 'configure', 'Makefile.am', 'Makefile.in'],
  ...['pom.xml', 'gradlew', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
  ...['gradle.properties', 'gradle-wrapper.properties', 'libs.versions.toml'],
])

/** Whether a file is one that detection reads; all others need not be. */
export function isDetected(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (isForeign(name) || names.has(name) || isRequirements(path) || isPythonTests(path)) return true
  return /(?:^|\/)tests?\/__init__\.py$/.test(path) || isPlainText(path)
}

/** A file that may hold a list of packages, and most often is prose or data. */
export function isPlainText(path: string): boolean {
  return /\.(?:txt|in|pip)$/.test(path) && !/(?:^|\/)CMakeLists\.txt$/.test(path)
}

/** Tests by their name, as pytest and unittest find them. */
export function isPythonTests(path: string): boolean {
  return /(?:^|\/)(?:test[^/]*|[^/]*_test)\.py$/.test(path)
}

/** A list of Python packages, by its name or its folder's. */
export function isRequirements(path: string): boolean {
  return /(?:^|\/)(?:[\w.-]*(?:requirements|constraints)[\w.-]*|requirements\/[\w.-]+)\.txt$/.test(path)
}

/** The paths among these that are in the project, files or folders. */
export function present(project: Project, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => path in project.files || project.folders.has(path))
}

/** Whether a path can stand in a command and in a configuration as it is. */
export function isPlain(path: string): boolean {
  return /^[\w@+.-]+(?:\/[\w@+.-]+)*$/.test(path) && !path.split('/').some((part) => /^(?:\.{1,2}|\.git)$/i.test(part))
}

/** A folder of a project as one of its own. */
export function within(repository: Project, folder: string): Project {
  const { files, folders } = repository
  const start = `${folder}/`
  const below = (path: string) => path.startsWith(start)
  const rest = (path: string) => path.slice(start.length)
  return {
    files: Object.fromEntries(
      Object.entries(files).flatMap(([path, text]) => (below(path) ? [[rest(path), text]] : [])),
    ),
    folders: new Set([...folders].filter(below).map(rest)),
    inside: { repository, folder },
  }
}
