import { type JsonObject, objectAt } from './json-object.ts'
import { type PrepareStep, type Project, present } from './project.ts'
import { includedFiles, isName, type PackageList, packageLists, packageName } from './python-lists.ts'
import { type IsTestTool, listsForTests, testTools } from './python-test-tools.ts'
import { parseToml } from './toml.ts'

const tools = '"$TMPDIR/tools"'

export interface PackageQuery {
  /** True if the tests use pytest, and if the machine has it. */
  readonly pytest: boolean
  readonly onMachine: boolean
}

export interface Packages {
  /** Null if the project needs nothing but Python. */
  readonly prepare: PrepareStep | null
  readonly notes: readonly string[]
}

interface Recipe {
  readonly commands: readonly string[]
  readonly inputs: readonly string[]
  /** The missing file that would make the packages equal everywhere. */
  readonly lacks?: string
}

interface Python {
  readonly project: Project
  /** [tool] of pyproject.toml. */
  readonly tool: JsonObject
  readonly wanted: PackageQuery
  readonly isTool: IsTestTool
}

/** The commands that install a Python project's packages into `.venv`. */
export function findPackages(project: Project, wanted: PackageQuery): Packages {
  const { files } = project
  const tool = objectAt(parseToml(files['pyproject.toml']), 'tool')
  const python = { project, tool, wanted, isTool: testTools(project, wanted) }
  const { commands, inputs, lacks } = recipeFor(python)
  const notes = [
    ...(lacks === undefined
      ? []
      : [`There is no ${lacks}: what is installed can differ from one machine to the next. Commit one.`]),
    ...('environment.yml' in files ? ['environment.yml is for Conda: what only it names is not installed.'] : []),
  ]
  if (commands.length === 0) return { prepare: null, notes }
  const prepare = {
    name: 'packages',
    command: commands.join(' && '),
    inputs: [...present(project, inputs)],
    outputs: ['.venv'],
    network: ['registry'],
  }
  return { prepare, notes }
}

function recipeFor(python: Python): Recipe {
  const { files } = python.project
  const { tool } = python
  const isOfPoetry = 'group' in objectAt(tool, 'poetry') || 'dev-dependencies' in objectAt(tool, 'poetry')
  if ('uv.lock' in files || 'dev-dependencies' in objectAt(tool, 'uv')) return byUv(python)
  if ('poetry.lock' in files || isOfPoetry) return byPoetry(python)
  if ('pdm.lock' in files) return byPdm(python)
  if ('Pipfile' in files) return byPipenv(python)
  return byPip(python)
}

/** uv itself comes from the registry, into a temporary folder. */
function byUv({ project, tool, wanted, isTool }: Python): Recipe {
  const lock = project.files['uv.lock']
  const uv = objectAt(tool, 'uv')
  const { own, optional } = packageLists(project)
  // The groups conflict, so they cannot all be installed together.
  const isSplit = 'conflicts' in uv
  const chosen = isSplit ? listsForTests({ lists: optional, has: own, isTool }) : []
  const flags = isSplit
    ? chosen.flatMap(({ kind, name }) => (kind === 'extra' || kind === 'group' ? [`--${kind} ${name}`] : []))
    : ['--all-extras', '--all-groups']
  const sync = [
    'sync',
    ...(lock === undefined ? [] : ['--frozen']),
    ...('workspace' in uv ? ['--all-packages'] : []),
    ...flags,
  ]
  const known = lock ?? [JSON.stringify(uv), ...optional.flatMap(({ packages }) => packages)].join('\n')
  return {
    commands: [
      ...installTool('uv'),
      `UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy ${tools}/bin/uv ${sync.join(' ')}`,
      ...(wanted.pytest && !namesPytest(known) ? [`VIRTUAL_ENV=.venv ${tools}/bin/uv pip install pytest`] : []),
    ],
    inputs: ['pyproject.toml', 'uv.lock'],
    ...(lock === undefined && { lacks: 'uv.lock' }),
  }
}

function byPoetry({ project, tool, wanted, isTool }: Python): Recipe {
  const lock = project.files['poetry.lock']
  const groups = objectAt(objectAt(tool, 'poetry'), 'group')
  const optional = Object.keys(groups).filter((name) => isName(name) && objectAt(groups, name).optional === true)
  const packagesOf = (name: string) => Object.keys(objectAt(objectAt(groups, name), 'dependencies'))
  const lists = optional.map((name): PackageList => ({ kind: 'group', name, packages: packagesOf(name) }))
  const has = Object.keys(groups)
    .filter((name) => !optional.includes(name))
    .flatMap(packagesOf)
  const chosen = listsForTests({ lists, has, isTool }).map(({ name }) => name)
  const install = [
    'install --no-interaction --all-extras',
    ...(chosen.length > 0 ? [`--with ${chosen.join(',')}`] : []),
  ]
  return {
    commands: [
      ...installTool('poetry'),
      `POETRY_VIRTUALENVS_IN_PROJECT=true ${tools}/bin/poetry ${install.join(' ')}`,
      ...(wanted.pytest && !namesPytest(lock ?? project.files['pyproject.toml'] ?? '')
        ? ['.venv/bin/python -m pip install pytest']
        : []),
    ],
    inputs: ['pyproject.toml', 'poetry.lock', 'poetry.toml'],
    ...(lock === undefined && { lacks: 'poetry.lock' }),
  }
}

function byPdm({ project, wanted }: Python): Recipe {
  return {
    commands: [
      ...installTool('pdm'),
      `PDM_CHECK_UPDATE=0 ${tools}/bin/pdm sync -G :all`,
      ...(wanted.pytest && !namesPytest(project.files['pdm.lock'] ?? '')
        ? [`.venv/bin/python -m ensurepip && .venv/bin/python -m pip install pytest`]
        : []),
    ],
    inputs: ['pyproject.toml', 'pdm.lock', 'pdm.toml'],
  }
}

function byPipenv({ project, wanted }: Python): Recipe {
  const lock = project.files['Pipfile.lock']
  const sync = lock === undefined ? 'install --dev --skip-lock' : 'sync --dev'
  return {
    commands: [
      ...installTool('pipenv'),
      `PIPENV_VENV_IN_PROJECT=1 ${tools}/bin/pipenv ${sync}`,
      ...(wanted.pytest && !namesPytest(lock ?? project.files.Pipfile ?? '')
        ? ['.venv/bin/python -m pip install pytest']
        : []),
    ],
    inputs: ['Pipfile', 'Pipfile.lock'],
    ...(lock === undefined && { lacks: 'Pipfile.lock' }),
  }
}

function installTool(name: string): readonly string[] {
  return [`python3 -m venv ${tools}`, `${tools}/bin/pip install --quiet ${name}`]
}

/** True if a text names pytest as a package, in any form that lists and lockfiles use. */
function namesPytest(text: string): boolean {
  return /(?:^|["'\s=])pytest(?:["'\s[<>=!~;,]|$)/m.test(text.replace(/^\s*\[tool\.pytest[^\]]*\]/gm, ''))
}

function byPip({ project, wanted: { pytest, onMachine }, isTool }: Python): Recipe {
  const { own, optional } = packageLists(project)
  const mainFiles = optional.filter(({ kind, name }) => kind === 'file' && isMain(name))
  const others = optional.filter((list) => !mainFiles.includes(list))
  const has = [...own, ...mainFiles.flatMap(({ packages }) => packages)]
  const chosen = listsForTests({ lists: others, has, isTool })
  const of = (kind: PackageList['kind']) => chosen.filter((list) => list.kind === kind)
  const lists = [...mainFiles, ...of('file')].map(({ name }) => name)
  const self = installable(
    project,
    of('extra').map(({ name }) => name),
  )
  const groups = of('group').map(({ name }) => name)
  const inOthers = new Set(chosen.flatMap((list) => (list.kind === 'named' ? [] : list.packages.map(packageName))))
  const named = of('named').flatMap(({ packages }) => packages.filter((each) => !inOthers.has(packageName(each))))
  const needed = [
    ...lists.map((path) => `-r ${path}`),
    ...(self === null ? [] : [self]),
    ...groups.map((name) => `--group ${name}`),
    ...[...new Set(named)].map(quoted),
  ]
  const listed = [...has, ...chosen.flatMap(({ packages }) => packages)].map(packageName)
  const missing = pytest && (needed.length === 0 ? !onMachine : !listed.includes('pytest'))
  const wanted = missing ? [...needed, 'pytest'] : needed
  if (wanted.length === 0) return { commands: [], inputs: [] }
  const versioned = /\b(?:setuptools[-_]scm|hatch-vcs)\b/.test(project.files['pyproject.toml'] ?? '')
  return {
    commands: [
      'python3 -m venv .venv',
      // Python's bundled pip may be too old for groups.
      ...(groups.length > 0 ? ['.venv/bin/python -m pip install --quiet --upgrade pip'] : []),
      // A sandbox has no history to derive a version from.
      `${versioned ? 'SETUPTOOLS_SCM_PRETEND_VERSION=0 ' : ''}.venv/bin/python -m pip install ${wanted.join(' ')}`,
    ],
    inputs: [
      ...includedFiles(project, lists),
      'pyproject.toml',
      'setup.py',
      'setup.cfg',
      ...(named.length > 0 ? ['tox.ini', 'tox.toml', 'hatch.toml', 'noxfile.py'] : []),
    ],
  }
}

function quoted(requirement: string): string {
  return /^[\w.-]+$/.test(requirement) ? requirement : `'${requirement.replaceAll("'", `'\\''`)}'`
}

/** True for lists of the project's own dependencies. */
function isMain(path: string): boolean {
  return /^(?:requirements\/)?(?:requirements|(?:requirements[-_.])?(?:base|main)(?:[-_.]requirements)?)\.(?:txt|in)$/.test(
    path,
  )
}

/** True if pip can install the project itself. */
export function isPackage({ files }: Project): boolean {
  const pyproject = parseToml(files['pyproject.toml'])
  const tool = objectAt(pyproject, 'tool')
  return (
    'setup.py' in files || 'project' in pyproject || 'build-system' in pyproject || 'poetry' in tool || 'flit' in tool
  )
}

/**
 * The project itself with its extras for tests, as an editable install, since its sources have the
 * same path in every sandbox. Null if it is not a package, or if it has no dependencies and can be
 * imported from the root.
 */
function installable(project: Project, extras: readonly string[]): string | null {
  if (!isPackage(project)) return null
  const { own, optional } = packageLists(project)
  const legacy = present(project, ['setup.py', 'setup.cfg']).map((path) => project.files[path] ?? '')
  const needs =
    project.folders.has('src') ||
    own.length > 0 ||
    optional.some(({ kind }) => kind === 'extra' || kind === 'group') ||
    legacy.some((text) => /\b(?:install_requires|extras_require|package_dir)\b/.test(text))
  if (!needs) return null
  return `-e '.${extras.length > 0 ? `[${extras.join(',')}]` : ''}'`
}
