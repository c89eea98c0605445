import { execFile } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import type { Drydock } from '../../../src/app/drydock.ts'
import type { Opening } from '../../../src/app/opening.ts'
import { run } from '../../../src/cli/program/program.ts'
import { openDrydock } from '../../../src/compose.ts'

/** The turns of a lane in a replay file. */
export type Turns = readonly object[]

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Lines of stdout that are JSON. */
  readonly events: readonly { readonly type: string; readonly [key: string]: unknown }[]
}

export interface Fixture {
  readonly folder: string
  readonly repo: string
  readonly env: Readonly<Record<string, string>>
  git(...args: string[]): Promise<string>
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Creates links in the working tree, by path. */
  link(targets: Readonly<Record<string, string>>): Promise<void>
  /**
   * Writes a replay file, with further fields besides its lanes, and returns the model id that
   * plays it.
   */
  replay(lanes: Readonly<Record<string, Turns>>, more?: object): Promise<string>
  /** Runs a command line in this process, like the bin. */
  drydock(...args: string[]): Promise<CommandResult>
  /** Opens a Drydock as a process does; the hooks let a test observe its transactions. */
  open(hooks?: Pick<Opening, 'beforeCommit' | 'afterCommit' | 'clock'>): Promise<Drydock>
  /** The text of a file in the working tree; null if it does not exist. */
  file(path: string): Promise<string | null>
  /** The text of a file in a workspace; null if it does not exist. */
  inSlot(slot: string, path: string): Promise<string | null>
  /** Writes into a workspace while an agent may work there. */
  writeInSlot(slot: string, files: Readonly<Record<string, string>>): Promise<void>
  /** Changes rows of the state to those of an older version. Returns their number. */
  changeRows(sql: string, ...values: readonly string[]): Promise<number>
  /** Prevents the creation of a checkout, until the returned function is called. */
  blockCheckout(name: string): Promise<() => Promise<void>>
  remove(): Promise<void>
}

export const passWhenNew = { name: 'test', command: 'grep -q new value.txt', timeout_sec: 120 }

export interface FixtureOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly steps?: readonly object[]
  readonly config?: object
  readonly env?: Readonly<Record<string, string>>
}

/** Written as a file, since `git config` would be one process for each key. */
const ownConfig = '[user]\n\tname = Tester\n\temail = tester@localhost\n'

/** Shared by all tests: with its own home, each process would compile the bundle again. */
const compiled = join(import.meta.dirname, '../../../node_modules/.cache/drydock-tests')

/**
 * A real repository whose test passes once value.txt says "new", with its own state and user
 * configuration.
 */
export async function createFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const { files = {}, steps = [passWhenNew], config = {}, env: given = {} } = options
  const database = await databaseFor(given)
  const folder = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  const fixture = fixtureIn(folder, { ...given, ...(database && { DRYDOCK_DATABASE_URL: database.url }) })
  const { repo, git, write } = fixture
  await mkdir(repo, { recursive: true })
  await git('init', '-q', '-b', 'main')
  await appendFile(join(repo, '.git', 'config'), ownConfig)
  await write({
    'value.txt': 'old\n',
    '.drydock/config.json': JSON.stringify({ acceptance: 'off', ...config, verification: { steps } }),
    ...files,
  })
  await git('add', '-A')
  await git('-c', 'maintenance.auto=false', 'commit', '-qm', 'start')
  return {
    ...fixture,
    async remove() {
      database?.drop()
      await fixture.remove()
    },
  }
}

/** The fixture of a folder that already has a repository. */
export function fixtureIn(folder: string, given: Readonly<Record<string, string>> = {}): Fixture {
  const repo = join(folder, 'repo')
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    DRYDOCK_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    // Off by default, since tests count requests and dollars; test/scenarios/money/trial.test.ts
    // switches it on.
    DRYDOCK_MODEL_TRIAL: 'off',
    NODE_COMPILE_CACHE: compiled,
    DRYDOCK_TEST_BUILT: process.env.DRYDOCK_TEST_BUILT ?? '',
    ...given,
  }
  const git = async (...args: string[]) =>
    (
      await promisify(execFile)('git', ['-C', repo, ...args], {
        env: { ...env, GIT_CONFIG_NOSYSTEM: '1' },
        maxBuffer: 1e8,
      })
    ).stdout.trim()
  const write = (written: Readonly<Record<string, string>>) => writeFiles(repo, written)
  const open: Fixture['open'] = (hooks = {}) => openDrydock({ directory: repo, env, ...hooks })
  return {
    folder,
    repo,
    env,
    git,
    write,
    async replay(lanes, more = {}) {
      const file = join(folder, 'replay.json')
      await writeFile(file, JSON.stringify({ version: 1, lanes, ...more }))
      return `replay:${file}`
    },
    drydock: (...args) => runHere([...args, '--repo', repo], env),
    async link(targets) {
      for (const [path, target] of Object.entries(targets)) await symlink(target, join(repo, path))
    },
    open,
    writeInSlot: async (slot, files) => writeFiles((await open()).workTrees.path(slot), files),
    async changeRows(sql, ...values) {
      const database = new DatabaseSync(join((await open()).state, 'drydock.db'))
      const { changes } = database.prepare(sql).run(...values)
      database.close()
      return Number(changes)
    },
    async blockCheckout(name) {
      const checkout = join((await open()).state, 'checkouts', name)
      await rm(checkout, { recursive: true, force: true })
      await writeFiles(dirname(checkout), { [name]: 'in the way' })
      return () => rm(checkout)
    },
    file: (path) => textAt(join(repo, path)),
    inSlot: async (slot, path) => textAt(join((await open()).workTrees.path(slot), path)),
    async remove() {
      // A process of the test may still write.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const textAt = (path: string) => readFile(path, 'utf8').catch(() => null)

/** A separate database if this file's tests run with states on PostgreSQL. */
async function databaseFor(given: Readonly<Record<string, string>>) {
  if (process.env.DRYDOCK_TEST_STATE !== 'postgres' || given.DRYDOCK_DATABASE_URL !== undefined) return null
  const { createDatabase } = await import('../../postgres/server.ts')
  return createDatabase()
}

async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

/** Runs a command line in this process and collects its output. */
export async function runHere(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandResult> {
  const out = collect()
  const err = collect()
  const exitCode = await run(args, { env, stdout: out.stream, stderr: err.stream })
  return { exitCode, stdout: out.text(), stderr: err.text(), events: parseEvents(out.text()) }
}

export function parseEvents(stdout: string): CommandResult['events'] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{"type"'))
    .map((line) => JSON.parse(line))
}

function collect() {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      done()
    },
  }) as unknown as NodeJS.WriteStream
  return { stream, text: () => chunks.join('') }
}

export const call = (tool: string, input: object): object => ({ calls: [{ tool, input }] })

export const plan = (more: object = {}): object =>
  call('submit_plan', {
    behaviour_change: 'value.txt says new',
    acceptance_criteria: ['value.txt says new'],
    non_goals: [],
    slices: ['change the value'],
    files: ['value.txt'],
    tests: [],
    ...more,
  })

export const change = (summary = 'Say new', more: object = {}): object => call('submit_change', { summary, ...more })

export const write = (content: string): object => call('write_file', { path: 'value.txt', content })

/** The shortest path to green. */
export const greenLanes: Readonly<Record<string, Turns>> = {
  'editor/task/PLANNING': [plan()],
  'editor/task/CODING': [write('new\n'), change()],
}

/** The last line of a command with `--json`. */
export function resultOf(result: CommandResult): Readonly<Record<string, unknown>> {
  const last = result.events.at(-1)
  if (last?.type !== 'result') throw new Error(`no result: ${result.stdout}\n${result.stderr}`)
  return last
}
