import { describe } from 'vitest'
import { junit, type Right, type Shape, testShapes } from './shape.ts'

const pytest = ['.venv/bin/python -m pytest --junitxml="$ARTIFACT_DIR/logs/junit.xml"', junit] as const
const machinePytest = ['python3 -m pytest --junitxml="$ARTIFACT_DIR/logs/junit.xml"', junit] as const
const test = 'def test_a():\n    assert True\n'

/** The configuration for a pip install of these, and pytest. */
const pip = (what: string, inputs: readonly string[], more: Partial<Right> = {}): Right => ({
  prepare: { packages: [`python3 -m venv .venv && .venv/bin/python -m pip install ${what}`, inputs, ['.venv']] },
  steps: { test: pytest },
  ...more,
})
/** The configuration with dependency groups, for which pip must be upgraded. */
const groups = (what: string): Right => {
  const command = `python3 -m venv .venv && .venv/bin/python -m pip install --quiet --upgrade pip && .venv/bin/python -m pip install ${what}`
  return { prepare: { packages: [command, ['pyproject.toml'], ['.venv']] }, steps: { test: pytest } }
}
/** The configuration for a tool that is installed from the registry and removed afterwards. */
const by = (tool: string, command: string, inputs: readonly string[], notes: readonly string[] = []): Right => ({
  prepare: {
    packages: [
      `python3 -m venv "$TMPDIR/tools" && "$TMPDIR/tools"/bin/pip install --quiet ${tool} && ${command}`,
      inputs,
      ['.venv'],
    ],
  },
  steps: { test: pytest },
  notes,
})
const uv = (flags: string) => `UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy "$TMPDIR/tools"/bin/uv sync ${flags}`
const poetry = (flags: string) =>
  `POETRY_VIRTUALENVS_IN_PROJECT=true "$TMPDIR/tools"/bin/poetry install --no-interaction --all-extras${flags}`
const project = (rest: string): string => `[build-system]\nrequires = ["flit_core"]\n[project]\nname = "a"\n${rest}`

const extras: Readonly<Record<string, Shape>> = {
  'pytest in an extra of any name': {
    files: {
      'pyproject.toml': project(
        '[project.optional-dependencies]\nall = ["ruff >= 0.6.2", "mypy", "pytest >= 8.3.2"]\ndocs = ["sphinx"]\n',
      ),
      'tests/test_a.py': test,
    },
    right: pip("-e '.[all]'", ['pyproject.toml']),
  },
  'of two extras with pytest the one that is for tests': {
    files: {
      'pyproject.toml': project(
        '[project.optional-dependencies]\nall = ["pytest", "sphinx"]\ndev = ["a[test]", "black"]\ntest = ["pytest"]\n',
      ),
    },
    right: pip("-e '.[test]'", ['pyproject.toml']),
  },
  'of two extras with pytest, neither for tests, the smaller one': {
    files: {
      'pyproject.toml': project(
        '[project.optional-dependencies]\neverything = ["pytest", "sphinx", "redis"]\nci = [\n  "pytest[x]>=8",  # a [bracket]\n  "codecov",\n]\n',
      ),
    },
    right: pip("-e '.[ci]'", ['pyproject.toml']),
  },
  'plugins and packages that only tests use, in extras of their own': {
    files: {
      'pyproject.toml': project(
        'dependencies = ["attrs"]\n[project.optional-dependencies]\nunit = ["pytest"]\ncoverage = ["pytest-cov"]\nio = ["PyYAML"]\nperf = ["pytest-benchmark"]\nlint = ["black"]\n[tool.pytest.ini_options]\naddopts = "--cov=a"\n',
      ),
      'tests/test_a.py': `import yaml\n${test}`,
    },
    right: pip("-e '.[unit,coverage,io]'", ['pyproject.toml']),
  },
  'an extra of setup.py, by a variable': {
    files: {
      'setup.py':
        "checks = ['pytest>=7', 'hypothesis[numpy]']\nextras = {'qa': checks, 'doc': ['sphinx']}\nsetup(install_requires=['a'], extras_require=extras)\n",
      'test/test_a.py': `from hypothesis import given\n${test}`,
    },
    right: pip("-e '.[qa]'", ['setup.py']),
  },
  'an extra of setup.cfg': {
    files: {
      'setup.py': 'from setuptools import setup\nsetup()\n',
      'setup.cfg':
        '[metadata]\nname = a\n[options]\ninstall_requires =\n    b\n[options.extras_require]\nquality =\n    pytest\n    pytest-xdist\ndocs =\n    sphinx\n[tool:pytest]\naddopts = -n 4\n',
    },
    right: pip("-e '.[quality]'", ['setup.py', 'setup.cfg']),
  },
  'the extras of an older flit': {
    files: {
      'pyproject.toml':
        '[build-system]\nrequires = ["flit_core"]\n[tool.flit.metadata]\nmodule = "a"\n[tool.flit.metadata.requires-extra]\nqa = ["pytest"]\n',
      'tests/test_a.py': test,
    },
    right: pip("-e '.[qa]'", ['pyproject.toml']),
  },
  'tests_require of setup.py': {
    files: { 'setup.py': "setup(install_requires=['a'], tests_require=['pytest', 'mock'])", 'tests/test_a.py': test },
    right: pip("-e '.' pytest mock", ['setup.py']),
  },
  'settings of pytest, and pytest nowhere': {
    files: { 'pyproject.toml': project('dependencies = ["b"]\n[tool.pytest.ini_options]\n') },
    right: pip("-e '.' pytest", ['pyproject.toml']),
  },
  'sources in src, and a version that git has': {
    files: {
      'pyproject.toml': '[build-system]\nrequires = ["setuptools", "setuptools_scm"]\n',
      'src/a/': '',
      'conftest.py': '',
    },
    right: {
      ...pip('', []),
      prepare: {
        packages: [
          "python3 -m venv .venv && SETUPTOOLS_SCM_PRETEND_VERSION=0 .venv/bin/python -m pip install -e '.' pytest",
          ['pyproject.toml'],
          ['.venv'],
        ],
      },
    },
  },
  'nothing to install, and the pytest of the machine': {
    files: { 'setup.py': '', 'pytest.ini': '' },
    machine: { pytest: true },
    right: { steps: { test: machinePytest } },
  },
  'nothing to install but pytest': {
    files: { 'setup.py': '', 'pytest.ini': '' },
    right: pip('pytest', ['setup.py']),
  },
}

const lists: Readonly<Record<string, Shape>> = {
  'requirements.txt with everything': {
    files: { 'requirements.txt': 'a\npytest\n' },
    machine: { pytest: true },
    right: pip('-r requirements.txt', ['requirements.txt']),
  },
  'requirements for development that take the others in': {
    files: {
      'requirements.txt': 'a==1\n',
      'requirements-dev.txt': '-r requirements.txt\n-c constraints.txt\npytest==8.3 \\\n    --hash=sha256:abc\n',
      'constraints.txt': 'b<2\n',
      'LICENSE.txt': 'Permission is hereby granted to test it.\n',
    },
    right: pip('-r requirements.txt -r requirements-dev.txt', [
      'requirements.txt',
      'requirements-dev.txt',
      'constraints.txt',
    ]),
  },
  'a list of packages that is called anything': {
    files: {
      'requirements.txt': 'a\n',
      'ci/pip.txt': '# for the build\npytest >= 8\ntox\n',
      'docs/deps.txt': 'sphinx\n',
      'tests/words.txt': 'apple\npear\n',
      'tests/test_a.py': test,
    },
    right: pip('-r requirements.txt -r ci/pip.txt', ['requirements.txt', 'ci/pip.txt']),
  },
  'a folder of requirements, of which one is for tests and one for documents': {
    files: {
      'setup.py': 'setup(install_requires=["a"])',
      'requirements/base.txt': 'a\n',
      'requirements/docs.txt': 'sphinx\n',
      'requirements/tests.txt': '-r base.txt\npytest\n',
      'requirements/lint.txt': 'black\n',
    },
    right: pip("-r requirements/base.txt -r requirements/tests.txt -e '.'", [
      'requirements/base.txt',
      'requirements/tests.txt',
      'setup.py',
    ]),
  },
  'packages that only tox names': {
    files: {
      'setup.py': 'setup()',
      'tox.ini':
        '[tox]\nenvlist = py38\n[testenv]\ndeps =\n    pytest>=7\n    py38: mock\n    pytest-asyncio\ncommands = pytest\n',
      'tests/test_a.py': `import asyncio\n${test}`,
    },
    right: pip("'pytest>=7' mock pytest-asyncio", ['setup.py', 'tox.ini']),
  },
  'tox, whose list is a file': {
    files: {
      'setup.py': 'setup()',
      'tox.ini': '[testenv]\ndeps = -r{toxinidir}/tests/needs.txt\ncommands = pytest\n',
      'tests/needs.txt': 'pytest\nresponses\n',
    },
    right: pip('-r tests/needs.txt', ['tests/needs.txt', 'setup.py']),
  },
  'the environments of hatch': {
    files: {
      'pyproject.toml':
        '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "a"\ndependencies = ["b"]\n[tool.hatch.envs.default]\ndependencies = ["pytest"]\n[tool.hatch.envs.lint]\ndependencies = ["ruff"]\n',
    },
    right: pip("-e '.' pytest", ['pyproject.toml']),
  },
  'the sessions of nox': {
    files: {
      'pyproject.toml': project('dependencies = ["b"]\n'),
      'noxfile.py':
        'import nox\n\n@nox.session(python=["3.11"])\ndef checks(session):\n    session.install("pytest", "pytest-mock")\n    session.install("-e", ".")\n    session.run("pytest", *session.posargs)\n\n@nox.session\ndef lint(session):\n    session.install("flake8")\n    session.run("flake8")\n',
      'tests/test_a.py': 'def test_a(mocker):\n    pass\n',
    },
    right: pip("-e '.' pytest pytest-mock", ['pyproject.toml', 'noxfile.py']),
  },
}

const tools: Readonly<Record<string, Shape>> = {
  'dependency groups without a lock': {
    files: { 'pyproject.toml': project('[dependency-groups]\nchecks = ["pytest"]\ndocs = ["sphinx"]\n') },
    right: groups("-e '.' --group checks"),
  },
  'groups that take others in': {
    files: {
      'pyproject.toml': project('[dependency-groups]\ndev = [{include-group = "unit"}, "ruff"]\nunit = ["pytest"]\n'),
    },
    right: groups("-e '.' --group unit"),
  },
  'uv with its lock': {
    files: {
      'pyproject.toml': project('[dependency-groups]\ndev = ["pytest"]\n'),
      'uv.lock': 'version = 1\n\n[[package]]\nname = "pytest"\n',
    },
    right: by('uv', uv('--frozen --all-extras --all-groups'), ['pyproject.toml', 'uv.lock']),
  },
  'uv, whose extras exclude each other': {
    files: {
      'pyproject.toml': project(
        '[project.optional-dependencies]\ncpu = ["torch"]\ncuda = ["torch"]\n[dependency-groups]\nqa = ["pytest"]\n[tool.uv]\nconflicts = [[{extra = "cpu"}, {extra = "cuda"}]]\n',
      ),
      'uv.lock': '[[package]]\nname = "pytest"\n',
    },
    right: by('uv', uv('--frozen --group qa'), ['pyproject.toml', 'uv.lock']),
  },
  'a workspace of uv': {
    files: {
      'pyproject.toml': project('[tool.uv.workspace]\nmembers = ["packages/*"]\n[tool.pytest.ini_options]\n'),
      'packages/b/pyproject.toml': '[project]\nname = "b"\n',
      'uv.lock': '[[package]]\nname = "a"\n',
    },
    right: by(
      'uv',
      `${uv('--frozen --all-packages --all-extras --all-groups')} && VIRTUAL_ENV=.venv "$TMPDIR/tools"/bin/uv pip install pytest`,
      ['pyproject.toml', 'uv.lock'],
    ),
  },
  'the development dependencies of an older uv, without a lock': {
    files: { 'pyproject.toml': project('[tool.uv]\ndev-dependencies = ["pytest>=8"]\n') },
    right: by('uv', uv('--all-extras --all-groups'), ['pyproject.toml'], ['There is no uv.lock']),
  },
  'poetry with its lock, and an optional group for tests': {
    files: {
      'pyproject.toml':
        '[tool.poetry]\nname = "a"\n[tool.poetry.group.qa]\noptional = true\n[tool.poetry.group.qa.dependencies]\npytest = "^8"\n[tool.poetry.group.docs]\noptional = true\n[tool.poetry.group.docs.dependencies]\nsphinx = "*"\n',
      'poetry.lock': '[[package]]\nname = "pytest"\n',
    },
    right: by('poetry', poetry(' --with qa'), ['pyproject.toml', 'poetry.lock']),
  },
  'poetry without a lock': {
    files: { 'pyproject.toml': '[tool.poetry]\nname = "a"\n[tool.poetry.dev-dependencies]\npytest = "^7"\n' },
    right: by('poetry', poetry(''), ['pyproject.toml'], ['There is no poetry.lock']),
  },
  'pdm with its lock': {
    files: {
      'pyproject.toml': project('[tool.pdm.dev-dependencies]\nqa = ["pytest"]\n'),
      'pdm.lock': '[[package]]\nname = "pytest"\n',
    },
    right: by('pdm', 'PDM_CHECK_UPDATE=0 "$TMPDIR/tools"/bin/pdm sync -G :all', ['pyproject.toml', 'pdm.lock']),
  },
  'pdm without a lock': {
    files: { 'pyproject.toml': project('dependencies = ["b"]\n[tool.pdm.dev-dependencies]\nqa = ["pytest"]\n') },
    right: pip("-e '.' pytest", ['pyproject.toml']),
  },
  'pipenv with its lock': {
    files: {
      Pipfile: '[packages]\na = "*"\n[dev-packages]\npytest = "*"\n',
      'Pipfile.lock': '{"develop": {"pytest": {"version": "==8"}}}',
      'tests/test_a.py': test,
    },
    right: by('pipenv', 'PIPENV_VENV_IN_PROJECT=1 "$TMPDIR/tools"/bin/pipenv sync --dev', ['Pipfile', 'Pipfile.lock']),
  },
}

const unittest: Readonly<Record<string, Shape>> = {
  'no settings at all': {
    files: { 'setup.py': '' },
    right: { steps: { test: 'python3 -m unittest discover -v' } },
  },
  'a folder that is no package': {
    files: { 'setup.py': '', 'tests/': '' },
    right: { steps: { test: 'python3 -m unittest discover -v -s tests' } },
  },
  'a folder that is a package': {
    files: { 'setup.py': '', 'tests/__init__.py': '' },
    right: { steps: { test: 'python3 -m unittest discover -v' } },
  },
  'an extra that its tests import': {
    files: {
      'pyproject.toml': project('[project.optional-dependencies]\nextra = ["python-dateutil"]\nlint = ["ruff"]\n'),
      'tests/__init__.py': '',
      'tests/test_a.py': 'import unittest\nfrom dateutil import parser\n',
    },
    right: {
      ...pip("-e '.[extra]'", ['pyproject.toml']),
      steps: { test: '.venv/bin/python -m unittest discover -v' },
    },
  },
  Django: {
    files: {
      'manage.py': 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "a.settings")\n',
      'requirements.txt': 'Django>=5\n',
      'polls/tests.py': 'from django.test import TestCase\n',
    },
    right: {
      ...pip('-r requirements.txt', ['requirements.txt']),
      steps: { test: '.venv/bin/python manage.py test -v 2' },
    },
  },
  'packages of Conda': {
    files: { 'environment.yml': 'dependencies:\n  - numpy\n', 'setup.py': '', 'tests/test_a.py': test },
    right: pip('pytest', ['setup.py'], { notes: ['environment.yml is for Conda'] }),
  },
  'a pyproject.toml that is only for a tool': {
    files: { 'pyproject.toml': '[tool.ruff]\n', 'test/': '' },
    right: 'No command that builds or tests was found in pyproject.toml.',
  },
  'requirements of documents': {
    files: { 'requirements.txt': 'sphinx\n' },
    right: 'It has no file of npm, pnpm, yarn, bun, Deno, pip, cargo, go, Maven, Gradle, CMake, Meson or make.',
  },
}

describe('Python, by an extra:', () => testShapes(extras))
describe('Python, by a list:', () => testShapes(lists))
describe('Python, by a tool:', () => testShapes(tools))
describe('Python, by unittest:', () => testShapes(unittest))
