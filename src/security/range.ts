import { mkdir, mkdtemp, readdir, realpath, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { removeFolder } from '../compose.ts'
import { type EnvironmentVariables, namedVariables, readEnvironment } from '../config/environment.ts'
import { loadUserConfig } from '../config/load.ts'
import { keyVariables } from '../domain/providers.ts'
import { temporaryFolders } from '../domain/temporary-folders.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import { graceMs } from './grace.ts'
import type { Installation } from './installation.ts'
import { makeTarget, type Target, type TargetOptions } from './target.ts'
import { writeFiles } from './write-files.ts'

/**
 * The place of attacks: a temporary folder with the user's own sandbox, git and Drydock, and
 * without the user's keys and repositories.
 */
export interface Range extends Installation {
  /** Holds all files of attacks. */
  readonly folder: string
  /** The value of each key in the environment, which occurs nowhere else. */
  readonly canary: string
  readonly sandbox: Sandbox
  /** The user's own secret files, which no attack may read. */
  readonly secretPaths: readonly string[]
  readonly signal: AbortSignal
  /** Makes a new folder with these files. */
  newFolder(files?: Readonly<Record<string, string>>): Promise<string>
  /** Makes a new hostile repository with its own state. */
  newTarget(options?: TargetOptions): Promise<Target>
  /**
   * A part that several attacks use. The first one that needs it makes it, once per function, and
   * it outlives each attack.
   */
  shared<Made>(make: (range: Range) => Promise<Made>): Promise<Made>
  /** The same range with another signal. */
  within(signal: AbortSignal): Range
}

/** Makes the folder. Disposal ends the shared parts and removes the folder. */
export async function openRange(installation: Installation, signal: AbortSignal): Promise<Range & AsyncDisposable> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), temporaryFolders.security)))
  await using closing = new AsyncDisposableStack()
  closing.defer(() => removeFolder(folder))
  const canary = `planted-key-${crypto.randomUUID()}`
  const env = await hostileEnvironment(installation.env, { folder, canary })
  const { home, userFile, stateRoot } = readEnvironment(installation.env)
  let folders = 0
  const newFolder = async (files: Readonly<Record<string, string>> = {}) => {
    folders += 1
    const path = join(folder, `${folders}`)
    await mkdir(path)
    await writeFiles(path, files)
    return path
  }
  const { drydock } = await makeTarget({ ...installation, env, folder: await newFolder(), signal }, {})
  const secretPaths = [userFile, stateRoot, join(home, '.ssh'), join(home, '.gitconfig'), join(folder, 'config')]
  const usual = { ...installation, env, folder, canary, newFolder, sandbox: drydock.sandbox, secretPaths }
  const closed = new AbortController()
  const made = new Map<unknown, Promise<unknown>>()
  closing.defer(async () => {
    closed.abort()
    await Promise.race([Promise.allSettled(made.values()), setTimeout(graceMs, undefined, { ref: false })])
  })
  const shared = <Made>(make: (range: Range) => Promise<Made>): Promise<Made> => {
    const making = made.get(make) ?? make(within(AbortSignal.any([signal, closed.signal])))
    made.set(make, making)
    return making as Promise<Made>
  }
  const within = (ending: AbortSignal): Range => ({
    ...usual,
    shared,
    within,
    signal: ending,
    newTarget: async (options = {}) => makeTarget({ ...usual, folder: await newFolder(), signal: ending }, options),
  })
  const kept = closing.move()
  return { ...within(signal), [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

interface HostileInput {
  readonly folder: string
  readonly canary: string
}

/**
 * The user's environment with a separate state and configuration. The configuration has only the
 * user's sandbox, and every key is the canary.
 */
async function hostileEnvironment(
  env: EnvironmentVariables,
  { folder, canary }: HostileInput,
): Promise<EnvironmentVariables> {
  const { userFile } = readEnvironment(env)
  const { sandbox, providers } = await loadUserConfig(env)
  const config = join(folder, 'config')
  await writeFiles(config, {
    'drydock/config.json': JSON.stringify({ sandbox }),
    gitconfig: '[user]\n\tname = Nobody\n\temail = nobody@localhost\n',
  })
  // Container programs and git keep their configuration beside it.
  const others = dirname(dirname(userFile))
  const names = (await readdir(others).catch(() => [])).filter((name) => !['drydock', 'gitconfig'].includes(name))
  await Promise.all(names.map((name) => symlink(join(others, name), join(config, name))))
  const keyNames = [...keyVariables, ...namedVariables(providers)]
  return {
    ...env,
    ...Object.fromEntries(keyNames.map((name) => [name, canary])),
    DRYDOCK_HOME: join(folder, 'state'),
    DRYDOCK_DATABASE_URL: '',
    XDG_CONFIG_HOME: config,
    GIT_CONFIG_GLOBAL: join(config, 'gitconfig'),
    // Every attack starts Drydock again, which takes half as long with compiled code in a cache.
    GIT_CONFIG_NOSYSTEM: '1',
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
}
