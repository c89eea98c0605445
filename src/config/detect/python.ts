import {
  type DetectedSystem,
  isPythonTests,
  type Machine,
  type Project,
  present,
  reportFile,
  reportPath,
} from './project.ts'
import { isRequirementList } from './python-lists.ts'
import { findPackages, isPackage } from './python-packages.ts'

const manifests = [
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'pytest.ini',
  'requirements.txt',
  'Pipfile',
  'tox.ini',
  'manage.py',
]

/** A Python project. Its packages are installed into a `.venv`. */
export function detectPython(project: Project, machine: Machine): DetectedSystem | null {
  const [from] = present(project, manifests)
  if (from === undefined || !(usesPytest(project.files) || isPackage(project) || hasTests(project))) return null
  return foundIn(project, machine, from)
}

/** A project with Python tests, but without a manifest. */
export function detectPythonTests(project: Project, machine: Machine): DetectedSystem | null {
  const from = Object.keys(project.files).find((path) => isPythonTests(path) && /^(?:tests?\/)?[^/]+$/.test(path))
  return from === undefined ? null : foundIn(project, machine, from)
}

function foundIn(project: Project, machine: Machine, from: string): DetectedSystem {
  const pytest = usesPytest(project.files) || hasTestFunctions(project.files)
  const { prepare, notes } = findPackages(project, { pytest, onMachine: machine.pytest })
  const python = prepare === null ? 'python3' : '.venv/bin/python'
  return {
    system: 'python',
    from,
    ...(prepare && { prepare }),
    steps: [
      pytest
        ? { name: 'test', command: `${python} -m pytest --junitxml="${reportPath}"`, junit: reportFile }
        : { name: 'test', command: `${python} ${unittest(project)}` },
    ],
    notes,
    programs: ['python3'],
  }
}

const manifest = /(?:^|\/)(?:(?:pyproject|hatch|tox)\.toml|setup\.(?:cfg|py)|tox\.ini|noxfile\.py|Pipfile)$/

/** Decided by its settings or by its requirements, at the top or one folder below. */
function usesPytest(files: Project['files']): boolean {
  return Object.entries(files).some(([path, text]) => {
    if (path.split('/').length > 2) return false
    if (/(?:^|\/)(?:pytest\.ini|conftest\.py)$/.test(path)) return true
    if (/\.(?:txt|in|pip)$/.test(path)) return isRequirementList(text) && /^pytest\b/m.test(text)
    return manifest.test(path) && /\bpytest\b/.test(text)
  })
}

/** True if test functions exist, which pytest finds and unittest does not. */
function hasTestFunctions(files: Project['files']): boolean {
  return Object.entries(files).some(([path, text]) => isPythonTests(path) && /^(?:async )?def test\w*\(/m.test(text))
}

const testFolders = ['tests', 'test']

/** Many projects in other languages have a pyproject.toml for a tool. */
function hasTests(project: Project): boolean {
  if ('manage.py' in project.files) return true
  const lists = ['requirements.txt', 'Pipfile', 'tox.ini'].some((name) => name in project.files)
  return lists && testFolders.some((name) => project.folders.has(name))
}

/** Django must set up its applications before it runs their tests. */
function unittest(project: Project): string {
  const isDjango = /\bDJANGO_SETTINGS_MODULE\b/.test(project.files['manage.py'] ?? '')
  return isDjango ? 'manage.py test -v 2' : `-m unittest discover -v${startFolder(project)}`
}

/** unittest finds tests only in its start folder and in packages below it. */
function startFolder(project: Project): string {
  const folder = testFolders.find((name) => project.folders.has(name))
  return folder === undefined || `${folder}/__init__.py` in project.files ? '' : ` -s ${folder}`
}
