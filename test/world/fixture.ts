import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Opening } from '../../src/app/opening.ts'
import { thisProcess } from '../../src/cli/door/host.ts'
import { run } from '../../src/cli/program/program.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { alwaysGreen } from '../scenarios/world/crew.ts'
import {
  type CommandResult,
  createFixture as createRealFixture,
  type FixtureOptions,
  parseEvents,
  passWhenNew,
  type Fixture as RealFixture,
  type Turns,
} from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { findGate, gateCommand, launch as launchReal } from '../scenarios/world/process.ts'
import { createMachine, type Machine, type MachineOptions } from './drydock.ts'
import { readIn } from './files.ts'
import { gitWords } from './git-words.ts'
import { type Entry, file, treeOf } from './objects.ts'
import { createProcess, type MemoryProcess } from './process.ts'
import type { Program } from './sandbox.ts'

/** Hooks by which tests observe a process's transactions. */
export type Hooks = Pick<Opening, 'beforeCommit' | 'afterCommit' | 'clock'>

export interface ProcessEnd extends CommandResult {
  readonly signal: NodeJS.Signals | null
}

/** A command line that runs during the test. */
export interface Running {
  /** Resolves with the first matching line of its output, including earlier ones. */
  line(pattern: RegExp): Promise<string>
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<ProcessEnd>
}

/** A repository with its own state, and the command line on it. */
export interface Fixture extends RealFixture {
  /** Starts a command line during the test. */
  launch(args: readonly string[], more?: { readonly stdin?: string; readonly env?: Fixture['env'] }): Running
  /** Resolves when `gateCommand` waits in a slot; `open` lets it continue. */
  gate(slot?: string): Promise<{ open(): Promise<void> }>
}

export interface MemoryFixture extends Fixture {
  readonly machine: Machine
  /** Opens Drydock in a further process, which lives until it is killed. */
  begin(
    hooks?: Hooks,
  ): Promise<{ readonly process: MemoryProcess; readonly drydock: Awaited<ReturnType<Machine['open']>> }>
}

export interface WorldOptions extends FixtureOptions {
  /**
   * Programs by the whole command, or by its first word: steps and agents can run these besides a
   * few shell commands.
   */
  readonly programs?: Readonly<Record<string, Program>>
  readonly clock?: Clock
  /** The user's own configuration. */
  readonly user?: object
  readonly extend?: MachineOptions['extend']
}

/** Options that only a fixture in memory has. */
export interface MemoryOptions extends WorldOptions {
  readonly signing?: (folder: string) => NonNullable<MachineOptions['signing']>
  readonly isLost?: MachineOptions['isLost']
}

/** Commands that wait until the test opens their gate. */
const gateCommands = [gateCommand, gateCommand.replace(' && rm gate', '')]

/** True if the scenarios run on real parts. */
export const isReal = process.env.DRYDOCK_TEST_WORLD === 'real'

/**
 * A repository in memory whose test passes once value.txt says "new", with its own state and user
 * configuration. With DRYDOCK_TEST_WORLD=real everything is real.
 */
export async function createFixture(options: WorldOptions = {}): Promise<Fixture> {
  return isReal ? realFixture(options) : createMemoryFixture(options)
}

/** A fixture with a gate that is green on the base, and after any addition. */
export const createCrewFixture = (options: WorldOptions = {}): Promise<Fixture> =>
  createFixture({ steps: [alwaysGreen], ...options })

/** A fixture that is removed with its test, for concurrent tests. */
export async function freshFixture(
  onTestFinished: (cleanUp: () => Promise<void>) => void,
  options: WorldOptions = {},
): Promise<Fixture> {
  const fixture = await createFixture(options)
  onTestFinished(() => fixture.remove())
  return fixture
}

async function realFixture({ user, ...options }: WorldOptions): Promise<Fixture> {
  const fixture = await createRealFixture(options)
  if (user !== undefined) await configureUser(fixture, user)
  const { repo, env } = fixture
  return {
    ...fixture,
    launch(args, more = {}) {
      const running = launchReal([...args, '--repo', repo], { env, ...more })
      return { line: running.line, ended: running.ended, kill: (signal) => void running.child.kill(signal) }
    },
    gate: async (slot = 'coder-001') => findGate((await fixture.open()).workTrees.path(slot)),
  }
}

/** The scenarios' fixture in memory: without programs, git, sockets or state files. */
export async function createMemoryFixture(options: MemoryOptions = {}): Promise<MemoryFixture> {
  const { files = {}, steps = [passWhenNew], config = {}, programs = {} } = options
  const folder = mkdtempSync(join(tmpdir(), 'drydock-memory-'))
  // The exporter stores its position in this folder.
  mkdirSync(join(folder, 'state'))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    DRYDOCK_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    DRYDOCK_MODEL_TRIAL: 'off',
    ...options.env,
  }
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const reached = new Map<string, PromiseWithResolvers<void>>()
  const at = (of: Map<string, PromiseWithResolvers<void>>, place: string) => {
    const found = of.get(place) ?? Promise.withResolvers<void>()
    of.set(place, found)
    return found
  }
  const waitsAtGate: Program = async ({ folder: place }) => {
    at(reached, place).resolve()
    await at(gates, place).promise
    gates.delete(place)
    reached.delete(place)
    return 0
  }
  const machine = await createMachine({
    folder,
    env,
    files: treeOf({
      'value.txt': 'old\n',
      '.drydock/config.json': JSON.stringify({ acceptance: 'off', ...config, verification: { steps } }),
      ...files,
    }),
    programs: {
      ...Object.fromEntries(gateCommands.map((command) => [command, waitsAtGate])),
      ...programs,
    },
    ...(options.clock && { clock: options.clock }),
    ...(options.signing && { signing: options.signing(folder) }),
    ...(options.isLost && { isLost: options.isLost }),
    ...(options.extend && { extend: options.extend }),
  })
  const { repository, git } = machine
  if (options.user !== undefined) {
    mkdirSync(join(folder, 'config', 'drydock'), { recursive: true })
    writeFileSync(join(folder, 'config', 'drydock', 'config.json'), JSON.stringify(options.user))
  }
  /** A process for the test itself, which only reads and is never killed. */
  const own = createProcess()
  return {
    folder,
    repo: repository.path,
    env,
    machine,
    git: async (...args) => gitWords({ repository, refs: git.refs }, args),
    async write(written) {
      for (const [path, content] of Object.entries(written)) repository.work.set(path, file(content))
    },
    async link(targets) {
      for (const [path, target] of Object.entries(targets))
        repository.work.set(path, { ...file(target), mode: '120000' })
    },
    async replay(lanes: Readonly<Record<string, Turns>>, more = {}) {
      const replay = join(folder, 'replay.json')
      writeFileSync(replay, JSON.stringify({ version: 1, lanes, ...more }))
      return `replay:${replay}`
    },
    drydock: (...args) => runOn(machine, { args, env }).ended,
    open: (hooks?: Hooks) => machine.open(own, hooks),
    async begin(hooks) {
      const begun = createProcess()
      return { process: begun, drydock: await machine.open(begun, hooks) }
    },
    launch(args, { stdin, env: other = env } = {}) {
      const running = runOn(machine, { args, env: other, ...(stdin !== undefined && { stdin }) })
      onTestFinished(async () => {
        running.kill('SIGKILL')
        await running.ended
      })
      return running
    },
    async gate(slot = 'coder-001') {
      const place = git.workTrees.path(slot)
      await at(reached, place).promise
      return { open: async () => at(gates, place).resolve() }
    },
    file: async (path) => textIn(repository.work, path),
    inSlot: async (slot, path) => textIn(git.disk.get(git.workTrees.path(slot)), path),
    async writeInSlot(slot, written) {
      const work = git.disk.get(git.workTrees.path(slot))
      for (const [path, content] of Object.entries(written)) work?.set(path, file(content))
    },
    async blockCheckout(name) {
      machine.blocked.add(name)
      return async () => void machine.blocked.delete(name)
    },
    async changeRows(sql, ...values) {
      const writer = await machine.rows.connections.forWriting()
      writer.exec('begin immediate')
      const { changes } = writer.prepare(sql).run(...values)
      writer.exec('commit')
      return Number(changes)
    },
    async remove() {
      await machine.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface CommandOptions {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** Runs a command line in a separate process. */
function runOn(machine: Machine, { args, env, stdin }: CommandOptions): Running {
  const started = createProcess()
  const listeners = new Set<() => void>()
  const [out, err] = [collect(listeners), collect(listeners)]
  const host = {
    ...thisProcess,
    cwd: () => machine.repository.path,
    on: started.on,
    off: started.off,
    exit: started.exit,
    open: (opening: Opening) => machine.open(started, opening),
    openReceipts: async () => machine.receipts,
  }
  const terminal = {
    env,
    stdout: out.stream,
    stderr: err.stream,
    host,
    ...(stdin !== undefined && { stdin: () => Object.assign(chunksOf(stdin), { isTTY: false }) }),
  }
  const end = async () => {
    const byItself = run(args, terminal).then((exitCode) => {
      started.exit(exitCode)
      return { exitCode, signal: null }
    })
    return Promise.race([byItself, started.ended])
  }
  const ended = end().then(({ exitCode, signal }) => ({
    exitCode: exitCode as number,
    signal,
    stdout: out.text(),
    stderr: err.text(),
    events: parseEvents(out.text()),
  }))
  return {
    kill: started.kill,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = `${out.text()}\n${err.text()}`.split('\n').find((line) => pattern.test(line))
          if (found === undefined) return
          listeners.delete(look)
          resolve(found)
        }
        listeners.add(look)
        look()
        ended.then(({ stdout, stderr }) => reject(new Error(`no ${pattern} in:\n${stdout}\n${stderr}`)), reject)
      }),
  }
}

function textIn(work: ReadonlyMap<string, Entry> | undefined, path: string): string | null {
  const found = readIn(work ?? new Map(), path, Number.MAX_SAFE_INTEGER)
  return found.ok ? Buffer.from(found.value.base64, 'base64').toString() : null
}

async function* chunksOf(text: string) {
  yield Buffer.from(text)
}

function collect(listeners: ReadonlySet<() => void>) {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      for (const listener of listeners) listener()
      done()
    },
  }) as unknown as NodeJS.WriteStream
  return { stream, text: () => chunks.join('') }
}
