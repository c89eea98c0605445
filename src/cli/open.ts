import { resolve } from 'node:path'
import { type Drydock, openDrydock } from '../compose.ts'
import { resolveModels } from '../config/models.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { limits } from '../domain/limits.ts'
import type { RunModels } from '../domain/run/run.ts'
import type { RunConfig } from '../domain/run/run-config.ts'
import type { CommonOptions, Context } from './context.ts'
import { checkRecordFile } from './recording/record.ts'
import { usage } from './usage.ts'

export async function open({ terminal }: Context, options: CommonOptions): Promise<Drydock> {
  const { maxCoders, target, sandbox, record } = options
  if (record !== undefined) await checkRecordFile(record)
  return openDrydock({
    directory: resolve(options.repo ?? '.'),
    env: terminal.env,
    flags: { ...(maxCoders && { maxCoders }), ...(target && { target }), ...(sandbox && { sandbox }) },
  })
}

export interface Checked {
  /** The file that the configuration comes from, and the names of its steps. */
  readonly source: string
  /** What was read of the repository's own file; null when it has none. */
  readonly text: string | null
  readonly steps: readonly string[]
  /** What `prepare` and the steps run. */
  readonly commands: readonly string[]
  readonly coders: number
  /** More that the repository asks for; null where it does not. */
  readonly codersAsked: number | null
  readonly toolTimeoutSec: number
  readonly writes: 'deny' | 'overlay'
  readonly target: string | null
  readonly configFile: string | null
  readonly config: RunConfig
}

/** What a Run's start would find wrong, before anything is stored: git, revision, configuration. */
export async function checkConfig(drydock: Drydock, options: CommonOptions, stepsRequired: boolean): Promise<Checked> {
  const wanted = options.target ?? drydock.user.target ?? null
  const { sha } = await drydock.workspaces.target(wanted)
  await drydock.workspaces.author()
  const repositoryText = await drydock.workspaces.fileAt(sha, '.drydock/config.json', limits.configBytes)
  const textAt = (path: string) => drydock.workspaces.fileAt(sha, path, limits.gate.fileBytes)
  const configFile = options.config === undefined ? null : resolve(options.config)
  const config = await drydock.readConfig({ repositoryText, textAt, configFile, stepsRequired })
  const steps = config.steps.map(({ name }) => name)
  const commands = [...config.prepare, ...config.steps].map(({ command }) => command)
  const { source, maxCoders: coders, toolTimeoutSec, target, writes } = config
  const codersAsked = config.fewerCoders?.asked ?? null
  const slots = { coders, codersAsked, toolTimeoutSec, writes }
  return { source, text: repositoryText, steps, commands, ...slots, target, configFile, config }
}

/** Slots for a process that only goes on with what is there; the number never stands in its way. */
export async function codersOf(drydock: Drydock, options: CommonOptions): Promise<number> {
  return (await configIfAny(drydock, options))?.coders ?? options.maxCoders ?? limits.maxCoders
}

/** Null where the configuration is missing or wrong, for what goes on without one. */
export function configIfAny(drydock: Drydock, options: CommonOptions): Promise<Checked | null> {
  return checkConfig(drydock, options, false).catch((error: unknown) => {
    if (error instanceof DrydockError) return null
    throw error
  })
}

interface Roles {
  /** There is an architect. */
  readonly crew: boolean
  /** False where nothing is changed: then no model of an editor has to be configured. */
  readonly editor?: boolean
}

/**
 * The models of the roles of a task, or of a crew, each of them usable as far as that can be told
 * without calling it.
 */
export function checkModels(
  { terminal }: Context,
  drydock: Drydock,
  options: CommonOptions,
  { crew, editor: edits = true }: Roles,
): RunModels {
  const flags = {
    ...(options.model && { default: options.model }),
    ...(options.architectModel && { architect: options.architectModel }),
    ...(options.editorModel && { editor: options.editorModel }),
    ...(options.scoutModel && { scout: options.scoutModel }),
  }
  const sources = { flags, user: drydock.user, env: terminal.env }
  const named = edits ? resolveModels(['editor'], sources).editor : null
  const { scout } = resolveModels(['scout'], sources)
  const editor = named ?? scout
  const architect = crew ? absolute(resolveModels(['architect'], sources).architect) : null
  const models = { architect, editor: absolute(editor), scout: absolute(scout) }
  for (const id of new Set(Object.values(models))) if (id !== null) drydock.model(id)
  return models
}

/**
 * Models that were named on the command line, for Runs of which one may have a crew; null when none
 * was, and then those of the Runs stay. DrydockError
 * `bad_usage` for an architect's where there is none.
 */
export function namedModels(
  context: Context,
  drydock: Drydock,
  options: CommonOptions,
  roles: Roles,
): RunModels | null {
  const { model, architectModel, editorModel, scoutModel } = options
  if (architectModel !== undefined && !roles.crew) {
    throw usage('--architect-model has no effect: only the run of a spec has an architect.', 'Leave it out.')
  }
  const named = model ?? editorModel ?? scoutModel ?? architectModel
  return named === undefined ? null : checkModels(context, drydock, options, roles)
}

/** A replay file is found from any folder. */
function absolute(id: string): string {
  return id.startsWith('replay:') ? `replay:${resolve(id.slice('replay:'.length))}` : id
}
