import type { RepositoryConfigInput } from '../schema.ts'
import { isForeign } from './foreign.ts'

/**
 * The files of a repository, or of a folder in it, that tell how it is built and tested. Paths are
 * relative to it.
 */
export interface Project {
  /** Contents of the files that `isDetected` accepts. */
  readonly files: Readonly<Record<string, string>>
  readonly folders: ReadonlySet<string>
  /** The repository around the folder. */
  readonly inside?: { readonly repository: Project; readonly folder: string }
}

type Verification = NonNullable<RepositoryConfigInput['verification']>
export type PrepareStep = NonNullable<Verification['prepare']>[number]
export type Step = NonNullable<Verification['steps']>[number]

/** Facts about this machine's sandbox that decide which tools must be installed. */
export interface Machine {
  readonly pytest: boolean
  /** True if the sandbox's ctest can write reports. */
  readonly ctestReports: boolean
}

/** The part of a configuration that comes from one build system. */
export interface DetectedSystem {
  /** The prefix of the steps' names if there is more than one build system. */
  readonly system: string
  readonly from: string
  readonly prepare?: PrepareStep
  readonly steps: readonly Step[]
  /** Alternative steps that check less, used if a step fails on the unchanged base. */
  readonly instead?: readonly Step[]
  /** The reason why the steps need a writable tree; left out for a read-only one. */
  readonly overlay?: string
  /** One sentence each that a person should read before relying on the steps. */
  readonly notes?: readonly string[]
  /** The programs that a sandbox's PATH must have. */
  readonly programs: readonly string[]
}

/** The report of the steps of all build systems, below $ARTIFACT_DIR. */
export const reportFile = 'logs/junit.xml'
export const reportPath = `$ARTIFACT_DIR/${reportFile}`

/** The folder for tools, which does not collide with the project's files. */
export const toolFolder = '.drydock/tools'

const names = new Set([
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  '.npmrc',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnp.cjs',
  '.pnpmfile.cjs',
  'bun.lock',
  'bun.lockb',
  'bunfig.toml',
  'turbo.json',
  'nx.json',
  'project.json',
  'lerna.json',
  'deno.json',
  'deno.jsonc',
  'deno.lock',
  'Cargo.toml',
  'Cargo.lock',
  'go.mod',
  'go.sum',
  'go.work',
  'go.work.sum',
  'pyproject.toml',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'pytest.ini',
  'setup.py',
  'setup.cfg',
  'conftest.py',
  'tox.ini',
  'tox.toml',
  'hatch.toml',
  'noxfile.py',
  'Pipfile',
  'Pipfile.lock',
  'environment.yml',
  'manage.py',
  'Makefile',
  'makefile',
  'GNUmakefile',
  'CMakeLists.txt',
  'meson.build',
  'configure.ac',
  'configure.in',
  'configure',
  'Makefile.am',
  'Makefile.in',
  'pom.xml',
  'gradlew',
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
  'gradle.properties',
  'gradle-wrapper.properties',
  'libs.versions.toml',
])

/** True if detection reads the file. */
export function isDetected(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (isForeign(name) || names.has(name) || isRequirements(path) || isPythonTests(path)) return true
  return /(?:^|\/)tests?\/__init__\.py$/.test(path) || isPlainText(path)
}

/** True for a file that may be a list of packages, although it is usually prose or data. */
export function isPlainText(path: string): boolean {
  return /\.(?:txt|in|pip)$/.test(path) && !/(?:^|\/)CMakeLists\.txt$/.test(path)
}

/** True for the names under which pytest and unittest find tests. */
export function isPythonTests(path: string): boolean {
  return /(?:^|\/)(?:test[^/]*|[^/]*_test)\.py$/.test(path)
}

/** True for a list of Python packages, by its name or its folder's. */
export function isRequirements(path: string): boolean {
  return /(?:^|\/)(?:[\w.-]*(?:requirements|constraints)[\w.-]*|requirements\/[\w.-]+)\.txt$/.test(path)
}

/** Selects the paths that exist in the project, as files or folders. */
export function present(project: Project, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => path in project.files || project.folders.has(path))
}

/** True if a path needs no quoting in a command and in a configuration. */
export function isPlain(path: string): boolean {
  return /^[\w@+.-]+(?:\/[\w@+.-]+)*$/.test(path) && !path.split('/').some((part) => /^(?:\.{1,2}|\.git)$/i.test(part))
}

/** A folder of a project as a project itself. */
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
