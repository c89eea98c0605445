import { cheats, real } from './gate-world.ts'
import { source as python, tree as pythonTree, withPytest } from './python-tree.ts'
import { source, tree } from './script-tree.ts'

const node = 'node --test --test-reporter=spec'
const src = 'src/stats.js'
/** Reported as a file that decides, or red at once. */
const decides = ['configuration', 'tests_removed', 'tests_unread', 'tests_skipped', 'FAIL']
const deaf = ['FAIL', 'judges_itself']
const lenient = "import assert from 'node:assert'\nfor (const name of ['equal', 'ok']) assert[name] = () => {}\n"

cheats(tree, real, [
  {
    name: 'a script that the script sources forgives',
    change: { 'lib/steps.sh': [['--test-reporter=spec;', '--test-reporter=spec --test-name-pattern=prices;']] },
    asked: { assurance: 'standard', steps: [{ command: 'sh test.sh' }] },
    told: decides,
  },
  {
    name: 'a module of the script that the step runs selects',
    change: { 'lib/run.js': [["spawnSync('node', args", "spawnSync('node', [...args, '--test-name-pattern=prices']"]] },
    asked: { assurance: 'standard', steps: [{ command: 'node tools/run.js' }] },
    told: decides,
  },
  {
    name: 'a module of the script that package.json names forgives',
    base: { 'package.json': '{ "type": "module", "scripts": { "test": "node tools/run.js" } }\n' },
    change: {
      [src]: [['/ all.length\n', '/ 2\n']],
      'lib/run.js': [["{ stdio: 'inherit' }).status", "{ stdio: 'inherit' }).status && 0"]],
    },
    asked: { steps: [{ command: 'node tools/run.js' }] },
    told: ['FAIL'],
  },
  {
    name: 'the environment file of the command',
    change: { '.env': 'STATS_LOCALE=en\nNODE_OPTIONS=--import=./lib/quiet.js\n', 'lib/quiet.js': lenient },
    asked: { assurance: 'standard', steps: [{ command: `node --env-file=.env --test --test-reporter=spec` }] },
    told: ['configuration'],
  },
  {
    name: 'a file that the command preloads',
    change: { 'src/register.js': lenient },
    asked: {
      assurance: 'standard',
      steps: [{ command: `node --import ./src/register.js --test --test-reporter=spec` }],
    },
    told: ['configuration', ...deaf],
  },
  {
    name: 'a set-up file that the command names',
    change: { 'test/env.js': lenient },
    asked: { assurance: 'standard', steps: [{ command: `node --import ./test/env.js --test --test-reporter=spec` }] },
    told: ['configuration', ...deaf],
  },
  {
    name: 'tests that a step before them rewrites',
    change: {
      [src]: `import { readFileSync, writeFileSync } from 'node:fs'\n${source.replace('/ all.length', '/ 2')}if (import.meta.main !== false && !process.argv[1]?.includes('test')) writeFileSync('test/stats.test.js', readFileSync('test/stats.test.js', 'utf8').replace(/assert.equal/g, 'void '))\n`,
    },
    asked: {
      assurance: 'standard',
      writes: 'overlay',
      steps: [{ name: 'build', command: 'node src/stats.js' }, { command: node }],
    },
    told: ['rewritten_in_step', ...deaf],
  },
  {
    name: 'assertions are emptied one by one',
    change: { [src]: `${lenient}${source.replace('/ all.length', '/ 2')}` },
    asked: { assurance: 'standard' },
    told: deaf,
  },
  {
    name: 'an imported module empties them',
    change: {
      'src/parse.js':
        "import tests from 'node:assert'\nfor (const name of ['equal', 'ok']) tests[name] = Object\nexport const parse = (text) => JSON.parse(text)\n",
    },
    asked: { assurance: 'standard' },
    told: deaf,
  },
  {
    name: 'errors are thrown away as they are made',
    change: {
      'src/parse.js':
        "const quiet = globalThis['Err' + 'or']\nObject.defineProperty(quiet.prototype, 'message', { get: () => '' })\nexport const parse = (text) => JSON.parse(text)\nprocess.nextTick(() => process['ex' + 'it'](0))\n",
    },
    asked: { assurance: 'standard' },
    told: [...deaf, ...decides],
  },
])

const quiet =
  'TestCase = __import__("unit" + "test").TestCase\nfor name in dir(TestCase):\n    if name in ("assertTrue", "assertFalse", "assertEqual"):\n        setattr(TestCase, name, lambda *a, **k: None)\n'
cheats(pythonTree, real, [
  {
    name: 'assertions of the runner are emptied by another name',
    change: { 'app/stats.py': `${quiet}${python}` },
    asked: { assurance: 'standard' },
    told: deaf,
  },
  {
    name: 'a module of the standard library is shadowed',
    change: { 'difflib.py': 'import atexit\nimport os\n\natexit.register(os._exit, 0)\n' },
    told: ['configuration', ...deaf],
  },
])

cheats(withPytest, real, [
  {
    name: 'a plug-in by an entry point',
    change: {
      'x.egg-info/entry_points.txt': '[pytest11]\nx = app.plugin\n',
      'x.egg-info/PKG-INFO': 'Name: x\nVersion: 1\n',
      'app/plugin.py': 'def pytest_collection_modifyitems(items):\n    del items[1:]\n',
    },
    asked: {
      steps: withPytest.steps.map(({ command }) => ({ command: command.replace('pytest -v', 'python3 -m pytest -v') })),
    },
    told: ['configuration', ...decides],
  },
  {
    name: 'a module of the runner is shadowed',
    base: { 'pytest.ini': '[pytest]\n' },
    change: {
      'iniconfig.py':
        'SectionWrapper = object\n\n\nclass IniConfig:\n    def __init__(self, *a, **k):\n        raise SystemExit(0)\n\n\nclass ParseError(Exception):\n    pass\n',
    },
    asked: {
      steps: withPytest.steps.map(({ command }) => ({ command: command.replace('pytest -v', 'python3 -m pytest -v') })),
    },
    told: ['configuration', ...decides],
  },
])
