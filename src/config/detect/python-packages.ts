import { posix } from 'node:path'
import { isPlain, isRequirements, type PrepareStep, type Project, present } from './project.ts'

const tools = '"$TMPDIR/tools"'

export interface Wanted {
  /** The tests are pytest's; and the machine has it. */
  readonly pytest: boolean
  readonly onMachine: boolean
}

/** How what a Python project needs gets into `.venv`; null when it needs nothing but Python. */
export function findPackages(project: Project, { pytest, onMachine }: Wanted): PrepareStep | null {
  const { files } = project
  const { commands, inputs } =
    'uv.lock' in files
      ? byUv(project, pytest)
      : 'poetry.lock' in files
        ? byPoetry(project, pytest)
        : byPip(project, { pytest, onMachine })
  if (commands.length === 0) return null
  return {
    name: 'packages',
    command: commands.join(' && '),
    inputs: [...present(project, inputs)],
    outputs: ['.venv'],
    network: ['registry'],
  }
}

interface Recipe {
  readonly commands: readonly string[]
  readonly inputs: readonly string[]
}

/** uv itself comes from the registry, into a folder that is gone afterwards. */
function byUv(project: Project, pytest: boolean): Recipe {
  const lacksPytest = pytest && !/^name = "pytest"/m.test(project.files['uv.lock'] ?? '')
  return {
    commands: [
      ...installTool('uv'),
      `UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy ${tools}/bin/uv sync --frozen --all-extras --all-groups`,
      ...(lacksPytest ? [`VIRTUAL_ENV=.venv ${tools}/bin/uv pip install pytest`] : []),
    ],
    inputs: ['pyproject.toml', 'uv.lock'],
  }
}

function byPoetry(project: Project, pytest: boolean): Recipe {
  const lacksPytest = pytest && !/^name = "pytest"/m.test(project.files['poetry.lock'] ?? '')
  return {
    commands: [
      ...installTool('poetry'),
      `POETRY_VIRTUALENVS_IN_PROJECT=true ${tools}/bin/poetry install --no-interaction --all-extras`,
      ...(lacksPytest ? ['.venv/bin/python -m pip install pytest'] : []),
    ],
    inputs: ['pyproject.toml', 'poetry.lock', 'poetry.toml'],
  }
}

function installTool(name: string): readonly string[] {
  return [`python3 -m venv ${tools}`, `${tools}/bin/pip install --quiet ${name}`]
}

function byPip(project: Project, { pytest, onMachine }: Wanted): Recipe {
  const lists = requirementLists(project)
  const self = installable(project)
  const groups = testGroups(project)
  const named = [...lists, ...present(project, ['pyproject.toml', 'setup.py', 'setup.cfg'])]
  const listsPytest = named.some((path) => /\bpytest\b(?!\.ini)/.test(withoutTools(project.files[path] ?? '')))
  const needed = [
    ...lists.map((path) => `-r ${path}`),
    ...(self === null ? [] : [self]),
    ...groups.map((name) => `--group ${name}`),
  ]
  const missing = pytest && (needed.length === 0 ? !onMachine : !listsPytest)
  const wanted = missing ? [...needed, 'pytest'] : needed
  if (wanted.length === 0) return { commands: [], inputs: [] }
  const versioned = /\b(?:setuptools[-_]scm|hatch-vcs)\b/.test(project.files['pyproject.toml'] ?? '')
  return {
    commands: [
      'python3 -m venv .venv',
      // The one that comes with Python may be too old for groups.
      ...(groups.length > 0 ? ['.venv/bin/python -m pip install --quiet --upgrade pip'] : []),
      // There is no history to make a version of.
      `${versioned ? 'SETUPTOOLS_SCM_PRETEND_VERSION=0 ' : ''}.venv/bin/python -m pip install ${wanted.join(' ')}`,
    ],
    inputs: [...included(project, lists), 'pyproject.toml', 'setup.py', 'setup.cfg'],
  }
}

/** `[tool.pytest]` is a setting, not something to install. */
function withoutTools(text: string): string {
  return text.replace(/^\s*\[tool\.pytest[\s\S]*?(?=^\s*\[|(?![\s\S]))/gm, '')
}

/** The lists to install from: what the project needs, and what its tests do. */
function requirementLists({ files }: Project): readonly string[] {
  const wanted =
    /^(?:requirements\/)?(?:requirements|(?:requirements[-_.])?(?:base|main|dev|develop|development|tests?|testing)(?:[-_.]requirements)?)\.txt$/
  return Object.keys(files)
    .filter((path) => isRequirements(path) && wanted.test(path))
    .sort()
}

/** With the lists that these take in. */
function included({ files }: Project, lists: readonly string[]): readonly string[] {
  const found = new Set<string>()
  const visit = (path: string) => {
    if (found.has(path) || !isPlain(path)) return
    found.add(path)
    for (const [, other = ''] of (files[path] ?? '').matchAll(/^\s*-(?:r|c|-requirement|-constraint)[\s=]*(\S+)/gm)) {
      visit(posix.join(posix.dirname(path), other))
    }
  }
  for (const path of lists) visit(path)
  return [...found]
}

/** Whether pip could install the project itself. */
export function isPackage({ files }: Project): boolean {
  return 'setup.py' in files || /^\s*\[(?:project|build-system|tool\.poetry)\]/m.test(files['pyproject.toml'] ?? '')
}

/**
 * The project itself with the extras for its tests, as what pip installs: by a link to its sources,
 * which are where they were in every sandbox. null when it is no package, or one that needs nothing
 * and can be imported from the root.
 */
function installable(project: Project): string | null {
  const pyproject = project.files['pyproject.toml']
  const legacy = present(project, ['setup.py', 'setup.cfg']).map((path) => project.files[path] ?? '')
  if (!isPackage(project)) return null
  const needs =
    project.folders.has('src') ||
    /^\s*(?:dependencies|optional-dependencies)\s*=\s*[[{]\s*[^\s\]}]/m.test(pyproject ?? '') ||
    /^\s*\[(?:project\.optional-dependencies|dependency-groups)\]/m.test(pyproject ?? '') ||
    legacy.some((text) =>
      /\b(?:install_requires|extras_require|package_dir)\b|^\[options\.extras_require\]/m.test(text),
    )
  if (!needs) return null
  const extras = testExtras([pyproject ?? '', ...legacy])
  return `-e '.${extras.length > 0 ? `[${extras.join(',')}]` : ''}'`
}

const testNames = ['test', 'tests', 'testing', 'dev']

function testExtras(texts: readonly string[]): readonly string[] {
  const tables = texts.flatMap((text) => /(?:optional-dependencies|extras_require)[\s\S]*/.exec(text)?.[0] ?? [])
  return testNames.filter((name) => tables.some((table) => names(table, name)))
}

/** Groups of dependencies that are not part of the package. */
function testGroups(project: Project): readonly string[] {
  const table = /^\s*\[dependency-groups\]((?:(?!^\s*\[[\w.-]+\])[\s\S])*)/m.exec(
    project.files['pyproject.toml'] ?? '',
  )?.[1]
  return testNames.filter((name) => names(table ?? '', name))
}

function names(table: string, key: string): boolean {
  return new RegExp(`(?:^|[{,])\\s*["']?${key}["']?\\s*[=:]`, 'm').test(table)
}
