import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Drydock } from '../app/drydock.ts'
import { openDrydock } from '../compose.ts'
import type { EnvironmentVariables } from '../config/environment.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { mustRun } from '../processes/run-program.ts'
import { startProgram } from '../processes/start-program.ts'
import type { Installation } from './installation.ts'
import { writeFiles } from './write-files.ts'

export interface TargetOptions {
  readonly files?: Readonly<Record<string, string>>
  /** The only step of its verification; `true` if left out. */
  readonly step?: string
  readonly prepare?: readonly object[]
  /** Overrides the range's variables. */
  readonly env?: EnvironmentVariables
  /** Called right after each commit that this process makes to the state. */
  readonly afterCommit?: () => void
}

/** A hostile repository, with a Drydock that works on it. */
export interface Target {
  readonly folder: string
  readonly repository: string
  readonly drydock: Drydock
  /** The commit that work starts from. */
  readonly tip: string
  readonly signal: AbortSignal
  /** A command that leaves a mark if it runs on the host. */
  readonly marker: string
  /** True if the marker has run on the host since the last call. */
  hasRun(): Promise<boolean>
  git(...args: readonly string[]): Promise<string>
  /** Commits files on top of the tip, on a new branch. */
  commit(files: Readonly<Record<string, string>>): Promise<string>
  /**
   * Runs a command of the installed Drydock in a separate process, with the model's turns of each
   * lane from a script. Parses each line of stdout as JSON.
   */
  run(args: readonly string[], lanes?: Lanes): Promise<Ran>
}

export type Lanes = Readonly<Record<string, readonly object[]>>

export interface Ran {
  readonly exitCode: number | null
  readonly events: readonly RanEvent[]
  readonly output: string
}

export interface RanEvent {
  readonly type: string
  readonly [key: string]: unknown
}

interface Place extends Installation {
  readonly folder: string
  readonly signal: AbortSignal
}

export async function makeTarget(place: Place, options: TargetOptions): Promise<Target> {
  const { folder, signal } = place
  const { files = {}, step = 'true', prepare = [], env: more = {}, afterCommit } = options
  const env = { ...place.env, ...more }
  const repository = join(folder, 'repository')
  const steps = [{ name: 'test', command: step, timeout_sec: 60 }]
  await writeFiles(repository, {
    'README.md': 'one\n',
    '.drydock/config.json': JSON.stringify({ verification: { prepare, steps } }),
    ...files,
  })
  const git = async (...args: readonly string[]) => {
    const stdout = await mustRun('git', args, { cwd: repository, env, signal }).catch(
      (error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? noGit(error) : error
      },
    )
    return stdout.replace(/\n$/, '')
  }
  const commitAll = async (message: string) => {
    await git('add', '--all')
    await git('commit', '--quiet', '--message', message)
    return git('rev-parse', 'HEAD')
  }
  await git('init', '--quiet', '--initial-branch=main')
  const tip = await commitAll('start')
  const mark = join(folder, 'mark')
  const marker = join(folder, 'marker')
  await writeFiles(folder, { marker: `#!/bin/sh\n: > '${mark}'\n` })
  const drydock = await openDrydock({
    directory: repository,
    env,
    flags: place.flags,
    ...(afterCommit && { afterCommit }),
  })
  return {
    folder,
    repository,
    drydock,
    tip,
    signal,
    marker,
    git,
    async hasRun() {
      const ran = existsSync(mark)
      await rm(mark, { force: true })
      return ran
    },
    async commit(changed) {
      await writeFiles(repository, changed)
      const sha = await commitAll('a change')
      await git('reset', '--quiet', '--hard', tip)
      await git('branch', `change-${sha}`, sha)
      return sha
    },
    async run(args, lanes) {
      const flags = place.flags.sandbox === undefined ? [] : ['--sandbox', place.flags.sandbox]
      const models = lanes === undefined ? [] : await replayed(folder, lanes, args)
      return runCommand([...place.command, ...args, '--repo', repository, '--json', ...flags, ...models], {
        env,
        signal,
      })
    },
  }
}

function noGit(cause: Error): DrydockError {
  const todo = 'Install git 2.38 or newer and make sure that it is in PATH.'
  return new DrydockError('git_failed', 'There is no git to attack.', { todo, cause })
}

/** A task has no architect, and its command has no option for the architect's model. */
async function replayed(folder: string, lanes: Lanes, [command]: readonly string[]): Promise<readonly string[]> {
  const file = join(folder, 'replay.json')
  await writeFile(file, JSON.stringify({ version: 1, lanes }))
  const flags = ['model', ...(command === 'task' ? [] : ['architect-model']), 'editor-model', 'scout-model']
  return flags.flatMap((flag) => [`--${flag}`, `replay:${file}`])
}

/** The time that an interrupted Drydock may take to clean up. */
const graceMs = 5_000

interface Running {
  readonly env: EnvironmentVariables
  readonly signal: AbortSignal
}

async function runCommand([program = '', ...args]: readonly string[], { env, signal }: Running): Promise<Ran> {
  signal.throwIfAborted()
  // A new process group, so that Ctrl-C in the terminal only reaches it through the signal.
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  const child = startProgram(program, args, { env, cwd: '/', stdio, detached: true })
  const stop = () => {
    child.kill('SIGINT')
    setTimeout(() => {
      child.kill('SIGKILL')
      // A process left behind may keep the streams open for ever.
      child.stdout.destroy()
      child.stderr.destroy()
    }, graceMs).unref()
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    signal.throwIfAborted()
    const lines = stdout.split('\n').filter((line) => line.startsWith('{"type"'))
    return { exitCode, events: lines.map((line) => JSON.parse(line)), output: stdout + stderr }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
