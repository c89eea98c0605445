import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DrydockError } from '../domain/drydock-error.ts'
import { limits } from '../domain/limits.ts'
import type { McpDoor } from '../domain/mcp/mcp-door.ts'
import { isOpenToAll } from '../domain/open-to-all.ts'
import type { RunConfig, Service } from '../domain/run/run-config.ts'
import { type EnvironmentVariables, readEnvironment } from './environment.ts'
import type { McpServerEntry } from './mcp-schema.ts'
import { keyPath, parseConfig } from './parse-config.ts'
import { refuseUpdating } from './refuse-updating.ts'
import { type RepositoryConfig, repositorySchema, type UserConfig, userOnlyKeys, userSchema } from './schema.ts'

/** The path of a repository's configuration, relative to its root. */
export const repositoryConfigPath = '.drydock/config.json'

/** The effective settings of a Run, and those around it; plain JSON. */
export interface ResolvedConfig extends RunConfig {
  readonly maxCoders: number
  /** The target branch; null for the one that is checked out. */
  readonly target: string | null
}

/**
 * The user's file with defaults and with `~/` resolved; `file` is its path, even if it does not
 * exist.
 */
export interface LoadedUserConfig extends Omit<UserConfig, 'mcp'> {
  readonly file: string
  /** MCP servers by name. */
  readonly mcp: Readonly<Record<string, McpServerEntry>>
  readonly mcpDoor: McpDoor
}

export interface RunFlags {
  readonly maxCoders?: number
  readonly target?: string
  readonly sandbox?: NonNullable<UserConfig['sandbox']['backend']>
}

export interface ConfigSources {
  /** `.drydock/config.json` of the base commit; null if it does not exist. */
  readonly repositoryText: string | null
  /** Reads a file of the base commit; if left out, package scripts are not checked. */
  readonly textAt?: (path: string) => Promise<string | null>
  readonly user: LoadedUserConfig
  /** Absolute and without links, as in `repositories` of the user's file. */
  readonly repositoryPath: string
  /** The file that `--config` names; null without one. */
  readonly configFile: string | null
  readonly flags?: RunFlags
  /**
   * False for work that verifies nothing, such as a scout's: configuration and steps are then
   * optional.
   */
  readonly stepsRequired?: boolean
}

/** The user's configuration; all defaults if there is no file. Throws DrydockError `bad_config`. */
export async function loadUserConfig(env: EnvironmentVariables): Promise<LoadedUserConfig> {
  const { home, userFile } = readEnvironment(env)
  await checkOwnFile(userFile)
  const config = parseConfig(userSchema, { text: (await readConfigFile(userFile)) ?? '{}', file: userFile })
  const fromHome = (path: string) => (path.startsWith('~/') ? join(home, path.slice(2)) : path)
  const { dockerfile, read_only_paths, ...others } = config.sandbox
  const sandbox = {
    ...others,
    read_only_paths: read_only_paths.map(fromHome),
    ...(dockerfile && { dockerfile: fromHome(dockerfile) }),
  }
  const { command, ...hooks } = config.notify
  const notify = {
    ...hooks,
    ...(command && { command: [fromHome(command[0]), ...command.slice(1)] as typeof command }),
  }
  const receipts = { trusted_keys: config.receipts.trusted_keys.map(fromHome) }
  const { signing, ...named } = config.commit
  const commit = { ...named, ...(signing && { signing: fromHome(signing) }) }
  const forges = mapValues(config.forges, ({ app, ...forge }) => ({
    ...forge,
    ...(app && { app: { ...app, private_key: fromHome(app.private_key) } }),
  }))
  const { allow = [], budget_usd: budgetUsd, ...mcp } = config.mcp
  const mcpDoor = { allow, ...(budgetUsd !== undefined && { budgetUsd }) }
  return { ...config, sandbox, notify, receipts, commit, forges, mcp, mcpDoor, file: userFile }
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

const noImages =
  'a service has no image of its own, for it runs in the sandbox of the step: give the `command` that starts a program of the machine, or of the image in `sandbox.image` of your own file'

/**
 * Parses a repository's configuration; `file` names it in errors. Throws DrydockError `bad_config`.
 */
export function parseRepositoryConfig(text: string, file: string): RepositoryConfig {
  return parseConfig(repositorySchema, {
    text,
    file,
    hint: (key) => {
      if (key === 'image') return noImages
      return userOnlyKeys.includes(key)
        ? 'only the user may set this: it belongs into $XDG_CONFIG_HOME/drydock/config.json (~/.config/drydock/config.json)'
        : null
    },
  })
}

/**
 * The effective settings of a Run. `--config` overrides the repository's committed file, which
 * overrides `repositories.<path>` of the user's file. A committed file can only lower the user's
 * `budget` and `max_coders`. Throws DrydockError `no_config`, `no_steps` or `bad_config`.
 */
export async function resolveConfig(sources: ConfigSources): Promise<ResolvedConfig> {
  const { user, flags = {}, stepsRequired = true } = sources
  const chosen = await chooseConfig(sources)
  if (chosen === null) throw noConfig(sources.repositoryPath)
  const { config, file } = chosen
  const { architect, editor, verification } = config
  if (stepsRequired && verification.steps.length === 0) throw noSteps(file)
  const allowed = bounded(chosen, user, (from) => from.orchestrator.max_coders, limits.maxCoders)
  const asked = config.orchestrator.max_coders ?? allowed
  const resolved: ResolvedConfig = {
    source: file,
    maxCoders: flags.maxCoders ?? allowed,
    ...(flags.maxCoders === undefined && asked > allowed && { fewerCoders: { asked, allowed } }),
    instructions: user.instructions,
    toolTimeoutSec: architect.tool_timeout_sec,
    planningIterations: editor.planning_iterations,
    codingIterations: editor.coding_iterations,
    turnsWithoutProgress: editor.turns_without_progress,
    scoping: { soft: architect.scoping_soft_limit, hard: architect.scoping_hard_limit },
    request: { soft: architect.request_soft_limit, hard: architect.request_hard_limit },
    reviewRounds: editor.review_rounds,
    acceptance: config.acceptance,
    acceptanceFiles: config.acceptance_files,
    prepare: verification.prepare.map(({ timeout_sec: timeoutSec, ...step }) => ({ ...step, timeoutSec })),
    package: verification.package ?? '',
    allowFailing: verification.allow_failing,
    allowUpdating: verification.allow_updating,
    writes: verification.writes,
    assurance: verification.assurance,
    assuranceBudget: verification.assurance_budget,
    steps: verification.steps.map((step) => ({
      name: step.name,
      command: step.command,
      timeoutSec: step.timeout_sec,
      junit: step.junit ?? null,
      ...(step.services && { services: step.services }),
      ...(step.writes && { writes: step.writes }),
    })),
    ...(verification.services.length > 0 && { services: verification.services.map(serviceOf) }),
    budget: {
      runUsd: bounded(chosen, user, (from) => from.budget.run_usd, limits.budget.runUsd),
      storyUsd: bounded(chosen, user, (from) => from.budget.story_usd, limits.budget.storyUsd),
      runTokens: bounded(chosen, user, (from) => from.budget.run_tokens, limits.budget.runTokens),
      storyTokens: bounded(chosen, user, (from) => from.budget.story_tokens, limits.budget.storyTokens),
    },
    dollarsNamed: namesDollars(user) || (chosen.writtenBy === 'user' && namesDollars(config)),
    target: flags.target ?? user.target ?? null,
    sandbox: { readOnlyPaths: user.sandbox.read_only_paths },
  }
  if (stepsRequired) await refuseUpdating(resolved, sources.textAt ?? (async () => null))
  return resolved
}

function serviceOf({
  ready,
  timeout_sec: timeoutSec,
  ports,
  ...service
}: RepositoryConfig['verification']['services'][number]): Service {
  const { port, command } = ready ?? {}
  if (command !== undefined) return { ...service, ports, ready: { command }, timeoutSec }
  if (port === undefined) return { ...service, ports, ready: { ports }, timeoutSec }
  return { ...service, ports: [...new Set([...ports, port])], ready: { ports: [port] }, timeoutSec }
}

interface ChosenConfig {
  readonly config: RepositoryConfig
  readonly file: string
  readonly writtenBy: 'repository' | 'user'
}

async function chooseConfig(sources: ConfigSources): Promise<ChosenConfig | null> {
  const { repositoryText, repositoryPath, user, configFile } = sources
  if (configFile !== null) {
    const text = await readConfigFile(configFile)
    if (text === null) {
      throw new DrydockError('bad_config', `${configFile} does not exist`, { todo: 'Correct --config.' })
    }
    return { config: parseRepositoryConfig(text, configFile), file: configFile, writtenBy: 'user' }
  }
  if (repositoryText !== null) {
    const config = parseRepositoryConfig(repositoryText, repositoryConfigPath)
    return { config, file: repositoryConfigPath, writtenBy: 'repository' }
  }
  const own = Object.entries(user.repositories).find(([path]) => resolve(path) === repositoryPath)
  if (own !== undefined) {
    return { config: own[1], file: `${user.file}: ${keyPath(['repositories', own[0]])}`, writtenBy: 'user' }
  }
  if (sources.stepsRequired ?? true) return null
  return { config: parseRepositoryConfig('{}', 'defaults'), file: 'defaults', writtenBy: 'user' }
}

/** A limit in the repository's file was set by its authors, not by the user. */
function namesDollars({ budget }: Pick<Bounds, 'budget'>): boolean {
  return budget.run_usd !== undefined || budget.story_usd !== undefined
}

type Bounds = Pick<RepositoryConfig, 'budget' | 'orchestrator'>

/** A number that a committed configuration can lower and only the user can raise. */
function bounded(
  chosen: ChosenConfig,
  user: Bounds,
  pick: (from: Bounds) => number | undefined,
  fallback: number,
): number {
  const ofUser = pick(user) ?? fallback
  const own = pick(chosen.config) ?? ofUser
  return chosen.writtenBy === 'repository' ? Math.min(own, ofUser) : own
}

/**
 * The text of a configuration file; null if it does not exist. Throws DrydockError `bad_config`.
 */
export async function readConfigFile(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null
    throw new DrydockError('bad_config', `${file} cannot be read.`, {
      todo: 'Make it readable for you.',
      cause,
    })
  }
}

function noConfig(repositoryPath: string): DrydockError {
  if (existsSync(join(repositoryPath, repositoryConfigPath))) {
    return new DrydockError('no_config', `${repositoryConfigPath} exists, but is not committed on this branch.`, {
      todo: `Commit it: git add .drydock && git commit -m "Configure Drydock"   or name it: --config ${repositoryConfigPath}`,
    })
  }
  return new DrydockError(
    'no_config',
    `${repositoryPath} has no committed ${repositoryConfigPath}, and your own configuration does not name the repository.`,
    {
      todo: 'Run `drydock init` and commit what it writes. Or run `drydock init --user`, which leaves the repository as it is.',
    },
  )
}

function noSteps(file: string): DrydockError {
  return new DrydockError('no_steps', `${file}: verification.steps is empty, so nothing could be verified.`, {
    todo: 'Add the command that tests the repository: "steps": [{ "name": "test", "command": "npm test" }].',
  })
}

/**
 * The user's file names programs, keys and addresses, so other users must not be able to write or
 * replace it. Throws DrydockError `bad_config`.
 */
async function checkOwnFile(file: string): Promise<void> {
  for (const path of [file, dirname(file)]) {
    const mode = (await stat(path).catch(() => null))?.mode ?? 0
    if (!isOpenToAll(mode)) continue
    throw new DrydockError('bad_config', `Everybody can change ${path}, which decides what runs as you.`, {
      todo: `Run: chmod o-w ${JSON.stringify(path)}`,
    })
  }
}
