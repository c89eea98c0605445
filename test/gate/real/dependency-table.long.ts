import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFiles } from '../../adapters/git/git-world.ts'
import { toolchain } from '../suite/toolchains.ts'
import { type Asked, makeVerifierWorld } from '../verifier-world.ts'

const run = promisify(execFile)
/** The machine's own npm, with its own configuration, knows where packages come from. */
const systemPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter)

type Files = Readonly<Record<string, string>>

/** A change of a project: what it makes of the files of the base, without the lock file. */
interface Row {
  readonly what: string
  readonly base: Files
  readonly change: Readonly<Record<string, string | null>>
  /** What the change adds to the end of the lock file. */
  readonly note?: string
  /** Files that the findings are about, the lock file left out. */
  readonly told: readonly string[]
}

interface Manager {
  readonly name: string
  readonly isThere?: boolean
  readonly lockFile: string
  /** Writes the lock file of the project in the folder. */
  lock(folder: string): Promise<unknown>
  asked(): Omit<Asked, 'commit' | 'purpose'>
  readonly rows: readonly Row[]
}

const moduleOf = (name: string, version: number) => ({
  [`local/${name}-${version}/package.json`]: `${JSON.stringify({ name, version: `${version}.0.0`, main: 'index.js' })}\n`,
  [`local/${name}-${version}/index.js`]: `module.exports = ${version}\n`,
})
const testOf = (...lines: readonly string[]) =>
  [
    "const test = require('node:test')",
    "const assert = require('node:assert')",
    "const { sum } = require('../src/sum.js')",
    "test('sums', () => assert.equal(sum(1, 2), 3))",
    ...lines,
    '',
  ].join('\n')
const sumOf = (head: string, factor: string) => `${head}\nexports.sum = (a, b, by = 1) => (a + b) * by * ${factor}\n`
const newTest = "test('multiplies', () => assert.equal(sum(1, 2, 3), 9))"

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

interface Workspace {
  readonly files: Files
  /** How one package of a workspace names another. */
  readonly version: string
}

function nodeRows(lockFile: string, { files: workspace, version }: Workspace): readonly Row[] {
  const manifest = (more: Dependencies) =>
    `${JSON.stringify({ name: 'root', version: '1.0.0', private: true, ...more })}\n`
  const [one, two] = ['file:./local/one-1', 'file:./local/two-2']
  const base: Files = {
    ...{ ...moduleOf('one', 1), ...moduleOf('one', 2), ...moduleOf('two', 2) },
    'package.json': manifest({ dependencies: { one } }),
    'src/sum.js': sumOf("const one = require('one')", 'one').replace(', by = 1', '').replace(' * by', ''),
    'test/sum.test.js': testOf(),
    '.gitignore': 'node_modules\n',
  }
  const extra = { ...base, 'package.json': manifest({ dependencies: { one, two } }) }
  const sources = (head: string, factor: string) => ({
    'src/sum.js': sumOf(head, factor),
    'test/sum.test.js': testOf(newTest),
  })
  const usual = sources("const one = require('one')", 'one')
  const packageOf = (name: string, more: object = {}) =>
    `${JSON.stringify({ name, version: '1.0.0', main: 'index.js', ...more })}\n`
  const inWorkspace = (dependencies: Readonly<Record<string, string>>) =>
    `${JSON.stringify({ name: 'root', version: '1.0.0', private: true, workspaces: ['packages/*'], dependencies })}\n`
  const whole: Files = {
    ...{ ...base, ...workspace },
    'package.json': inWorkspace({ one, a: version }),
    'packages/a/package.json': packageOf('a'),
    'packages/a/index.js': 'module.exports = 1\n',
  }
  return [
    {
      ...{ what: 'added', base },
      change: {
        'package.json': manifest({ dependencies: { one, two } }),
        ...sources("const one = require('one')\nconst two = require('two')", '(one * two) / 2'),
      },
      told: ['package.json'],
    },
    {
      ...{ what: 'removed', base: extra },
      change: { 'package.json': manifest({ dependencies: { one } }), ...usual },
      told: ['package.json'],
    },
    {
      ...{ what: 'raised', base },
      change: {
        'package.json': manifest({ dependencies: { one: 'file:./local/one-2' } }),
        ...sources("const one = require('one')", '(one / 2)'),
      },
      told: ['package.json'],
    },
    {
      ...{ what: 'moved to the dependencies of development', base: extra },
      change: { 'package.json': manifest({ dependencies: { one }, devDependencies: { two } }), ...usual },
      told: ['package.json'],
    },
    {
      ...{ what: 'added as a package of the workspace with a dependency of its own', base: whole },
      change: {
        'package.json': inWorkspace({ one, a: version, b: version }),
        'packages/b/package.json': packageOf('b', { dependencies: { two: 'file:../../local/two-2' } }),
        'packages/b/index.js': "module.exports = require('two')\n",
        ...sources("const one = require('one')\nconst b = require('b')", '(one * b) / 2'),
      },
      told: ['package.json'],
    },
    {
      ...{ what: 'changed in the lock file alone', base },
      ...{ change: usual, note: lockFile.endsWith('.json') ? '\n' : '# noted\n' },
      told: [],
    },
  ]
}

const tools = mkdtempSync(join(tmpdir(), 'drydock-test-managers-'))
const home = mkdtempSync(join(tmpdir(), 'drydock-test-home-'))
beforeAll(async () => {
  const specs = ['pnpm@10', 'yarn@1', '@yarnpkg/cli-dist@4']
  const options = ['--no-audit', '--no-fund', '--silent', '--prefix', tools]
  await run('npm', ['install', ...options, ...specs], {
    env: { PATH: systemPath, HOME: process.env.HOME ?? '' },
  })
})
afterAll(() => {
  for (const folder of [tools, home]) rmSync(folder, { recursive: true, force: true })
})

const inside = (folder: string, script: string) =>
  run('sh', ['-ec', script], { cwd: folder, env: { PATH: process.env.PATH, HOME: home, TMPDIR: home } })
const pnpm = `node ${join(tools, 'node_modules/pnpm/bin/pnpm.cjs')}`
const yarn = `node ${join(tools, 'node_modules/yarn/bin/yarn.js')}`
const berry = `export YARN_NODE_LINKER=node-modules YARN_ENABLE_TELEMETRY=0 YARN_ENABLE_GLOBAL_CACHE=0; node ${join(tools, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')}`

const nodeSteps = [{ command: 'node --test --test-reporter=spec test/*.test.js' }]
function nodeAsked(command: string, lockFile: string, more: readonly string[] = []) {
  const folders = ['node_modules', 'packages/a/node_modules']
  return {
    steps: nodeSteps,
    readOnlyPaths: [tools],
    prepare: [
      {
        command: `${command} && mkdir -p ${folders.join(' ')}`,
        inputs: ['package.json', 'packages/a/package.json', lockFile, ...more],
        outputs: folders,
      },
    ],
  }
}

const wheels = join(tools, 'wheels')
/** A wheel of one module that holds a number. */
const makeWheel = (name: string, version: number) => `
import os, sys, zipfile
os.makedirs('${wheels}', exist_ok=True)
with zipfile.ZipFile('${wheels}/${name}-${version}.0-py3-none-any.whl', 'w') as wheel:
    info = '${name}-${version}.0.dist-info'
    wheel.writestr('${name}.py', 'value = ${version}\\n')
    wheel.writestr(info + '/METADATA', 'Metadata-Version: 2.1\\nName: ${name}\\nVersion: ${version}.0\\n')
    wheel.writestr(info + '/WHEEL', 'Wheel-Version: 1.0\\nGenerator: a\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + '/RECORD', '')
`
const pythonTest = (...lines: readonly string[]) =>
  [
    ...['import unittest', 'from sums import sum_of', '', '', 'class Sums(unittest.TestCase):'],
    ...['    def test_sums(self):', '        self.assertEqual(sum_of(1, 2), 3)', ...lines, ''],
  ].join('\n')
function pythonRows(): readonly Row[] {
  const base: Files = {
    'requirements.txt': 'one==1.0\n',
    'sums.py': 'import one\n\n\ndef sum_of(a, b):\n    return (a + b) * one.value\n',
    'test_sums.py': pythonTest(),
    '.gitignore': 'deps\n',
  }
  const change = (requirements: string, head: string, factor: string) => ({
    'requirements.txt': requirements,
    'sums.py': `${head}\n\n\ndef sum_of(a, b, by=1):\n    return (a + b) * by * ${factor}\n`,
    'test_sums.py': pythonTest('', '    def test_multiplies(self):', '        self.assertEqual(sum_of(1, 2, 3), 9)'),
  })
  const extra = { ...base, 'requirements.txt': 'one==1.0\ntwo==2.0\n' }
  const both = change('one==1.0\ntwo==2.0\n', 'import one\nimport two', '(one.value * two.value // 2)')
  const raised = change('one==2.0\n', 'import one', '(one.value // 2)')
  return [
    { ...{ what: 'added', base, told: [] }, change: both },
    { ...{ what: 'removed', base: extra, told: [] }, change: change('one==1.0\n', 'import one', 'one.value') },
    { ...{ what: 'raised', base, told: [] }, change: raised },
  ]
}

const rust = toolchain('cargo', '.rustup/toolchains')
const rustTest = (...lines: readonly string[]) =>
  ['use sums::sum;', '', '#[test]', 'fn sums() {', '    assert_eq!(sum(1, 2), 3);', '}', ...lines, ''].join('\n')
function rustRows(): readonly Row[] {
  const crate = (name: string, version: number): Files => ({
    [`local/${name}-${version}/Cargo.toml`]: `[package]\nname = "${name}"\nversion = "${version}.0.0"\nedition = "2021"\n`,
    [`local/${name}-${version}/src/lib.rs`]: `pub const VALUE: u32 = ${version};\n`,
  })
  const manifest = (dependencies: string, dev = '') =>
    `[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n\n[workspace]\n\n[dependencies]\n${dependencies}${dev}`
  const [one, two] = ['one = { path = "local/one-1" }\n', 'two = { path = "local/two-2" }\n']
  const source = (factor: string) => `pub fn sum(a: u32, b: u32) -> u32 {\n    (a + b) * ${factor}\n}\n`
  const more = 'pub fn twice(a: u32) -> u32 {\n    sum(a, a)\n}\n'
  const base: Files = {
    ...{ ...crate('one', 1), ...crate('one', 2), ...crate('two', 2) },
    'Cargo.toml': manifest(one),
    'src/lib.rs': source('one::VALUE'),
    'tests/sums.rs': rustTest(),
  }
  const test = rustTest('', '#[test]', 'fn doubles() {', '    assert_eq!(sums::twice(2), 4);', '}')
  const changed = (toml: string, factor = 'one::VALUE') => ({
    ...{ 'Cargo.toml': toml, 'src/lib.rs': `${source(factor)}\n${more}`, 'tests/sums.rs': test },
  })
  const extra = { ...base, 'Cargo.toml': manifest(one + two) }
  const told = ['Cargo.toml']
  return [
    { ...{ what: 'added', base, told }, change: changed(manifest(one + two), '(one::VALUE * two::VALUE / 2)') },
    { ...{ what: 'removed', base: extra, told }, change: changed(manifest(one)) },
    {
      ...{ what: 'raised', base, told },
      change: changed(manifest('one = { path = "local/one-2" }\n'), '(one::VALUE / 2)'),
    },
    {
      ...{ what: 'moved to the dependencies of development', base: extra, told },
      change: changed(manifest(one, `\n[dev-dependencies]\n${two}`)),
    },
  ]
}

const plainWorkspace: Workspace = { files: {}, version: '1.0.0' }
const managers: readonly Manager[] = [
  {
    ...{ name: 'npm', lockFile: 'package-lock.json' },
    lock: (folder) => inside(folder, 'npm install --package-lock-only --install-links --offline --silent'),
    asked: () => nodeAsked('npm ci --install-links --offline --no-audit --no-fund', 'package-lock.json'),
    rows: nodeRows('package-lock.json', plainWorkspace),
  },
  {
    ...{ name: 'pnpm', lockFile: 'pnpm-lock.yaml' },
    lock: (folder) => inside(folder, `${pnpm} install --lockfile-only --offline --store-dir ${home}/store`),
    asked: () =>
      nodeAsked(
        `${pnpm} install --frozen-lockfile --offline --store-dir "$TMPDIR/store" --package-import-method copy`,
        'pnpm-lock.yaml',
        ['pnpm-workspace.yaml'],
      ),
    rows: nodeRows('pnpm-lock.yaml', {
      files: { 'pnpm-workspace.yaml': "packages: ['packages/*']\n" },
      version: 'workspace:*',
    }),
  },
  {
    ...{ name: 'yarn 1', lockFile: 'yarn.lock' },
    lock: (folder) =>
      inside(
        folder,
        `${yarn} install --offline --silent --non-interactive; rm -rf node_modules packages/*/node_modules`,
      ),
    asked: () => nodeAsked(`${yarn} install --frozen-lockfile --offline --non-interactive`, 'yarn.lock'),
    rows: nodeRows('yarn.lock', plainWorkspace),
  },
  {
    ...{ name: 'yarn berry', lockFile: 'yarn.lock' },
    lock: (folder) => inside(folder, `touch yarn.lock; ${berry} install --mode=update-lockfile`),
    asked: () => nodeAsked(`${berry} install --immutable`, 'yarn.lock'),
    // It takes no lock file with anything that it would not write.
    rows: nodeRows('yarn.lock', { files: {}, version: 'workspace:*' }).slice(0, -1),
  },
  {
    ...{ name: 'pip', lockFile: 'requirements.txt', isThere: toolchain('python3').isThere },
    lock: async () => {
      for (const wheel of [makeWheel('one', 1), makeWheel('one', 2), makeWheel('two', 2)])
        await run('/usr/bin/python3', ['-c', wheel])
    },
    asked: () => ({
      steps: [{ command: 'PYTHONPATH=deps /usr/bin/python3 -m unittest -v' }],
      readOnlyPaths: [tools],
      prepare: [
        {
          command: `/usr/bin/python3 -m pip install --no-index --find-links ${wheels} --target deps -r requirements.txt`,
          ...{ inputs: ['requirements.txt'], outputs: ['deps'] },
        },
      ],
    }),
    rows: pythonRows(),
  },
  {
    ...{ name: 'cargo', lockFile: 'Cargo.lock', isThere: rust.isThere },
    lock: (folder) => inside(folder, `${rust.path} cargo generate-lockfile --offline`),
    asked: () => ({
      steps: [{ command: `${rust.path} cargo test --offline --locked`, timeoutSec: 300 }],
      readOnlyPaths: rust.readOnlyPaths,
    }),
    rows: rustRows(),
  },
]

/** The files with the lock file that the manager writes for them. */
async function locked({ lockFile, lock }: Manager, files: Files): Promise<Files> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-lock-'))
  try {
    mkdirSync(folder, { recursive: true })
    writeFiles(folder, files)
    await lock(folder)
    return { ...files, [lockFile]: readFileSync(join(folder, lockFile), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const without = (files: Readonly<Record<string, string | null>>): Files =>
  Object.fromEntries(Object.entries(files).flatMap(([path, text]) => (text === null ? [] : [[path, text]])))

describe.each(managers)('with $name a dependency that is', (manager) => {
  test.runIf(manager.isThere ?? true).each(manager.rows)('$what is verified to its end', async (row) => {
    const { lockFile } = manager
    const base = await locked(manager, row.base)
    const { change, note = '' } = row
    const now = await locked(manager, without({ ...row.base, ...change }))
    const lockNow = `${now[lockFile]}${note}`
    const world = await makeVerifierWorld(base)
    try {
      const isLockChanged = lockNow !== base[lockFile]
      const commit = await world.commitChange({ ...change, ...(isLockChanged && { [lockFile]: lockNow }) })
      const answer = await world.ask({ ...manager.asked(), purpose: 'change', assurance: 'standard', commit })
      const { findings = [], proof } = answer.manifest?.integrity ?? {}
      expect([answer.status, answer.status === 'PASS' ? '' : `${answer.error_message} ${answer.tail_log}`]).toEqual([
        'PASS',
        '',
      ])
      expect(findings.map(({ kind, file }) => `${kind} ${file}`)).toEqual(
        [...row.told, ...(isLockChanged ? [lockFile] : [])].toSorted().map((file) => `configuration ${file}`),
      )
      expect([answer.manifest?.hybrid?.status, proof?.status]).toEqual(['held', 'proven'])
    } finally {
      world.close()
    }
  })
})
