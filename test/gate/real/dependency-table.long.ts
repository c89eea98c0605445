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
      change: { ...usual, [lockFile]: lockFile.endsWith('.json') ? '\n' : '# noted\n' },
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
    const { [lockFile]: added, ...change } = row.change
    const now = await locked(manager, without({ ...row.base, ...change }))
    const lockNow = added === undefined ? now[lockFile] : `${now[lockFile]}${added ?? ''}`
    const world = await makeVerifierWorld(base)
    try {
      const isLockChanged = lockNow !== base[lockFile]
      const commit = await world.commitChange({ ...change, ...(isLockChanged && { [lockFile]: lockNow ?? '' }) })
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
