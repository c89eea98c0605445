import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { Manifest } from '../../../src/domain/verification/verdict.ts'
import { writeFiles } from '../../adapters/git/git-world.ts'
import { manifestOf } from '../../scenarios/world/conversation.ts'
import { change, createFixture, plan, resultOf } from '../../scenarios/world/fixture.ts'
import { configureUser } from '../../scenarios/world/hook.ts'
import { toolchain } from '../suite/toolchains.ts'
import type { VerifierInput } from '../verifier-world.ts'
import { type Files, nodeRows, pythonRows, type Row, type Workspace } from './dependency-rows.ts'
import { goRows, rustRows } from './dependency-rows-compiled.ts'

const run = promisify(execFile)
/**
 * The machine's own npm, with its own configuration and certificates, knows where packages come
 * from.
 */
const systemPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter)

interface Manager {
  readonly name: string
  readonly isThere?: boolean
  /** True if this file installs it from the registry. */
  readonly isInstalled?: boolean
  readonly lockFile: string
  /** The lock file in another form; by default with a comment at its end. */
  rewritten?(lock: string): string
  /** Writes the lock file of the project in the folder. */
  lock(folder: string): Promise<unknown>
  asked(): Pick<VerifierInput, 'steps' | 'prepare' | 'readOnlyPaths'>
  readonly rows: readonly Row[]
}

const tools = mkdtempSync(join(tmpdir(), 'drydock-test-managers-'))
const home = mkdtempSync(join(tmpdir(), 'drydock-test-home-'))
let installed: Promise<unknown> | undefined
/** Package managers that do not come with Node, for the rows that need them. */
function install(): Promise<unknown> {
  const specs = ['pnpm@10', 'yarn@1', '@yarnpkg/cli-dist@4']
  const options = ['--no-audit', '--no-fund', '--silent', '--prefix', tools]
  const { HOME, NODE_EXTRA_CA_CERTS } = process.env
  installed ??= run('npm', ['install', ...options, ...specs], { env: { PATH: systemPath, HOME, NODE_EXTRA_CA_CERTS } })
  return installed
}
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
/** A wheel of one module with a number. */
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
const rust = toolchain('cargo', '.rustup/toolchains')
const go = toolchain('go')
const plainWorkspace: Workspace = { files: {}, version: '1.0.0' }
const managers: readonly Manager[] = [
  {
    name: 'npm',
    lockFile: 'package-lock.json',
    lock: (folder) => inside(folder, 'npm install --package-lock-only --install-links --offline --silent'),
    rewritten: (lock) => `${lock}\n`,
    asked: () => nodeAsked('npm ci --install-links --offline --no-audit --no-fund', 'package-lock.json'),
    rows: nodeRows(plainWorkspace),
  },
  {
    name: 'pnpm',
    lockFile: 'pnpm-lock.yaml',
    isInstalled: true,
    lock: (folder) => inside(folder, `${pnpm} install --lockfile-only --offline --store-dir ${home}/store`),
    asked: () =>
      nodeAsked(
        `${pnpm} install --frozen-lockfile --offline --store-dir "$TMPDIR/store" --package-import-method copy`,
        'pnpm-lock.yaml',
        ['pnpm-workspace.yaml'],
      ),
    rows: nodeRows({
      files: { 'pnpm-workspace.yaml': "packages: ['packages/*']\n" },
      version: 'workspace:*',
    }),
  },
  {
    name: 'yarn 1',
    lockFile: 'yarn.lock',
    isInstalled: true,
    lock: (folder) =>
      inside(
        folder,
        `${yarn} install --offline --silent --non-interactive; rm -rf node_modules packages/*/node_modules`,
      ),
    asked: () => nodeAsked(`${yarn} install --frozen-lockfile --offline --non-interactive`, 'yarn.lock'),
    rows: nodeRows(plainWorkspace),
  },
  {
    name: 'yarn berry',
    lockFile: 'yarn.lock',
    isInstalled: true,
    lock: (folder) => inside(folder, `touch yarn.lock; ${berry} install --mode=update-lockfile`),
    asked: () => nodeAsked(`${berry} install --immutable`, 'yarn.lock'),
    // The manager accepts no other form of its lock file than other line endings.
    rewritten: (lock) => lock.replaceAll('\n', '\r\n'),
    rows: nodeRows({ files: {}, version: 'workspace:*' }),
  },
  {
    name: 'pip',
    lockFile: 'requirements.txt',
    isThere: toolchain('python3').isThere,
    lock: async () => {
      for (const wheel of [makeWheel('one', 1), makeWheel('one', 2), makeWheel('two', 2)])
        await run('/usr/bin/python3', ['-c', wheel])
    },
    asked: () => ({
      steps: [{ command: 'PYTHONPATH=deps /usr/bin/python3 -m unittest -v' }],
      readOnlyPaths: [tools],
      prepare: [
        {
          command: `/usr/bin/python3 -m pip install --no-index --find-links ${wheels} --target deps -r requirements.txt -r requirements-dev.txt`,
          inputs: ['requirements.txt', 'requirements-dev.txt'],
          outputs: ['deps'],
        },
      ],
    }),
    rows: pythonRows(),
  },
  {
    name: 'cargo',
    lockFile: 'Cargo.lock',
    isThere: rust.isThere,
    lock: (folder) => inside(folder, `${rust.path} cargo generate-lockfile --offline`),
    asked: () => ({
      steps: [{ command: `${rust.path} cargo test --offline --locked`, timeoutSec: 300 }],
      readOnlyPaths: rust.readOnlyPaths,
    }),
    rows: rustRows(),
  },
  {
    name: 'go',
    lockFile: 'go.sum',
    isThere: go.isThere,
    // A module that a folder replaces has no checksum.
    lock: async () => undefined,
    rewritten: () => `example.org/gone v1.0.0 h1:${Buffer.alloc(32).toString('base64')}\n`,
    asked: () => ({
      steps: [{ command: `${go.path} go test -v ./...`, timeoutSec: 300 }],
      readOnlyPaths: go.readOnlyPaths,
    }),
    rows: goRows(),
  },
]

/** The files with the lock file that the manager writes for them. */
async function locked({ lockFile, lock, isInstalled = false }: Manager, files: Files): Promise<Files> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-lock-'))
  try {
    if (isInstalled) await install()
    writeFiles(folder, files)
    await lock(folder)
    return { ...files, [lockFile]: readFileSync(join(folder, lockFile), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const written = (files: Files) => ({
  calls: Object.entries(files).map(([path, content]) => ({ tool: 'write_file', input: { path, content } })),
})

/** A repository with these files and the requested gate. */
async function fixtureOf(files: Files, { steps, prepare = [], readOnlyPaths = [] }: ReturnType<Manager['asked']>) {
  const verification = {
    assurance: 'standard',
    ...(prepare.length > 0 && { prepare: prepare.map((step) => ({ name: 'install', ...step })) }),
    steps: steps.map(({ command, timeoutSec = 120 }) => ({ name: 'test', command, timeout_sec: timeoutSec })),
  }
  const fixture = await createFixture({ files: { ...files, '.drydock/config.json': JSON.stringify({ verification }) } })
  await configureUser(fixture, { sandbox: { read_only_paths: readOnlyPaths } })
  return fixture
}

interface Story {
  readonly run_id: string
  readonly findings: readonly { readonly file: string; readonly state: string }[]
}

describe.each(managers)('a task with $name', (manager) => {
  const { isThere = true, lockFile, rewritten = (lock: string) => `${lock}# noted\n` } = manager
  const why = isThere ? '' : ` (skipped: ${manager.name} is not installed)`
  test.runIf(isThere).each(manager.rows)(
    `whose dependency is $what is DONE with exactly its findings${why}`,
    async (row) => {
      const base = await locked(manager, row.base)
      const now = await locked(manager, { ...row.base, ...row.change })
      const lockNow = row.isRewritten ? rewritten(now[lockFile] ?? '') : (now[lockFile] ?? '')
      const isLockChanged = lockNow !== base[lockFile]
      const files = { ...row.change, ...(isLockChanged && { [lockFile]: lockNow }) }
      const fixture = await fixtureOf(base, manager.asked())
      try {
        const model = await fixture.replay({
          'editor/task/PLANNING': [plan({ files: Object.keys(files) })],
          'editor/task/CODING': [written(files), change('Change a dependency')],
        })
        const ended = await fixture.drydock('task', 'Change a dependency', '--json', '--model', model)
        const { status, stories } = resultOf(ended)
        expect([status, status === 'DONE' ? '' : (await fixture.drydock('log')).stdout]).toEqual(['DONE', ''])
        const { run_id, findings } = (stories as [Story])[0]
        const told = [...row.told, ...(isLockChanged ? [lockFile] : [])].toSorted()
        expect(findings.map(({ file, state }) => `${file} ${state}`)).toEqual(told.map((file) => `${file} open`))
        const { hybrid, integrity } = (await manifestOf(fixture, run_id)) as unknown as Manifest
        expect(integrity?.findings.map(({ kind }) => kind)).toEqual(told.map(() => 'configuration'))
        expect([hybrid?.status, integrity?.proof?.status]).toEqual(['held', 'proven'])
      } finally {
        await fixture.remove()
      }
    },
  )
})
