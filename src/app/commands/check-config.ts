import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import { mayWrite } from '../../domain/run/step-writes.ts'
import type { Installation } from '../installation.ts'
import type { WorkOptions } from '../work-options.ts'

export interface ConfigCheck {
  /** The file that the configuration comes from, and the names of its steps. */
  readonly source: string
  /** The text of the repository's own file; null if it has none. */
  readonly text: string | null
  readonly steps: readonly string[]
  /** The command lines that `prepare`, the services and the steps run. */
  readonly commands: readonly string[]
  readonly coders: number
  /**
   * The number of coders that the repository asks for if it exceeds the user's limit; null
   * otherwise.
   */
  readonly codersAsked: number | null
  readonly toolTimeoutSec: number
  readonly writes: 'deny' | 'overlay'
  readonly target: string | null
  readonly configFile: string | null
  readonly config: RunConfig
}

/** The parts that read the configuration of a commit and of the user. */
export type ConfigSource = Pick<Installation, 'user' | 'userRepository' | 'readConfig'>

/**
 * Checks everything that could stop a Run from starting, before anything is stored: git, revision,
 * configuration.
 */
export async function checkConfig(
  drydock: ConfigSource,
  options: WorkOptions,
  stepsRequired: boolean,
): Promise<ConfigCheck> {
  const wanted = options.target ?? drydock.user.target ?? null
  const sha = await drydock.userRepository.commitOf(wanted)
  await drydock.userRepository.author()
  checkSigning(drydock)
  const repositoryText = await drydock.userRepository.fileAt(sha, '.drydock/config.json', limits.configBytes)
  const textAt = (path: string) => drydock.userRepository.fileAt(sha, path, limits.gate.fileBytes)
  const configFile = options.config === undefined ? null : resolve(options.config)
  const config = await drydock.readConfig({ repositoryText, textAt, configFile, stepsRequired })
  const steps = config.steps.map(({ name }) => name)
  const commands = [...config.prepare, ...(config.services ?? []), ...config.steps].map(({ command }) => command)
  const { source, maxCoders: coders, toolTimeoutSec } = config
  const writes = mayWrite(config) ? 'overlay' : config.writes
  const codersAsked = config.fewerCoders?.asked ?? null
  const slots = { coders, codersAsked, toolTimeoutSec, writes }
  return { source, text: repositoryText, steps, commands, ...slots, target: wanted, configFile, config }
}

/**
 * Refuses a missing signing key early: without it, finished and paid work could not be handed over.
 */
function checkSigning({ user: { file, commit } }: Pick<Installation, 'user'>): void {
  if (commit.signing === undefined || existsSync(commit.signing)) return
  throw new DrydockError('bad_config', `commit.signing names a key that does not exist: ${commit.signing}`, {
    todo: `Correct it in ${file}.`,
  })
}

/**
 * Returns the number of slots for a process that only continues existing work. A missing or invalid
 * configuration does not stop such a process.
 */
export async function codersOf(drydock: ConfigSource, options: WorkOptions): Promise<number> {
  return (await configIfAny(drydock, options))?.coders ?? options.maxCoders ?? limits.maxCoders
}

/**
 * Reads the configuration; null when it is missing or invalid, for callers that continue without
 * one.
 */
export function configIfAny(drydock: ConfigSource, options: WorkOptions): Promise<ConfigCheck | null> {
  return checkConfig(drydock, options, false).catch((error: unknown) => {
    if (error instanceof DrydockError) return null
    throw error
  })
}
