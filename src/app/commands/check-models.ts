import { resolve } from 'node:path'
import { chooseAgent } from '../../config/choose-agent.ts'
import { type ModelFlags, resolveModels } from '../../config/models.ts'
import { knownAgent } from '../../domain/agents/known-agents.ts'
import { misplacedAgent } from '../../domain/agents/misplaced-agent.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { agentNameOf, splitModelNames } from '../../domain/model-name.ts'
import { namesIn, type RunModels } from '../../domain/run/run-models.ts'
import type { Installation } from '../installation.ts'
import { usage } from '../usage.ts'
import type { WorkOptions } from '../work-options.ts'

interface Roles {
  /** True if the work has an architect. */
  readonly crew: boolean
  /** True if an architect is needed only to write tests. */
  readonly tests?: boolean
  /** False if no code will be changed, so that no editor's model has to be configured. */
  readonly editor?: boolean
}

/**
 * Returns the models of the roles of a task or of a crew. Checks each as far as possible without
 * calling it.
 */
export function checkModels(
  drydock: Pick<Installation, 'env' | 'user' | 'model' | 'agent'>,
  options: WorkOptions,
  { crew, tests = false, editor: edits = true }: Roles,
): RunModels {
  const flags = {
    ...(options.model && { default: options.model }),
    ...(options.architectModel && { architect: options.architectModel }),
    ...(options.editorModel && { editor: options.editorModel }),
    ...(options.scoutModel && { scout: options.scoutModel }),
  }
  const sources = { flags, user: drydock.user, env: drydock.env }
  refuseAgents(flags)
  const edited = edits ? resolveModels(['editor'], sources).editor : null
  const agent = edited === null ? null : agentNameOf(edited)
  if (agent !== null) checkAgent(drydock, agent, { crew })
  const scout = (agent !== null && !crew && scoutBeside(agent, sources)) || resolveModels(['scout'], sources).scout
  const editor = edited ?? scout
  const architect = crew || tests ? resolveModels(['architect'], sources).architect : null
  const models = runModels(drydock, { architect, editor, scout })
  for (const name of namesIn(models)) if (agentNameOf(name) === null) drydock.model(name)
  return models
}

/** Refuses a foreign agent in a role that it cannot take. Throws DrydockError `bad_model`. */
function refuseAgents(flags: ModelFlags): void {
  for (const role of ['default', 'architect', 'editor', 'scout'] as const) {
    const names = flags[role] === undefined ? [] : splitModelNames(flags[role])
    const message = misplacedAgent(role, names)
    const agent = names.find((name) => agentNameOf(name) !== null)
    if (message !== null) throw new DrydockError('bad_model', `${message}.`, { todo: `--editor-model ${agent}` })
  }
}

/** Checks an agent as far as possible without starting it. */
function checkAgent(drydock: Pick<Installation, 'agent'>, name: string, { crew }: Pick<Roles, 'crew'>): void {
  drydock.agent(name)
  const known = knownAgent(name)
  if (!crew || known === null || known.hasTools) return
  const message = `${known.title} takes no tools from Drydock, so it cannot hand in the plan of a story or ask the architect.`
  throw new DrydockError('bad_model', message, { todo: 'Use it for tasks: drydock task' })
}

/** The model of a task's scouts if only the task's agent is named: the model of that agent. */
function scoutBeside(agent: string, { flags, user, env }: Parameters<typeof resolveModels>[1]): string | null {
  if ((flags.scout ?? flags.default ?? user.models.scout ?? user.models.default) !== undefined) return null
  const { model } = chooseAgent(agent, { user, env })
  return model === null ? null : `${model.provider}:${model.name}`
}

/** Returns each role's first model and its fallback models. */
function runModels(
  drydock: Pick<Installation, 'user'>,
  named: Pick<RunModels, 'architect' | 'editor' | 'scout'>,
): RunModels {
  const namesOf = (list: string) => splitModelNames(list).map(absolute)
  const [architect = null, ...architects] = named.architect === null ? [] : namesOf(named.architect)
  const [editor = named.editor, ...editors] = namesOf(named.editor)
  const [scout = named.scout, ...scouts] = namesOf(named.scout)
  const others = Object.entries({ architect: architects, editor: editors, scout: scouts })
  const fallback = Object.fromEntries(others.filter(([, list]) => list.length > 0))
  const { after_sec: fallbackAfterSec = limits.fallback.afterSec } = drydock.user.model_fallback
  return { architect, editor, scout, ...(Object.keys(fallback).length > 0 && { fallback, fallbackAfterSec }) }
}

interface Naming extends Roles {
  /** The models of an existing Run. A role that the options do not name keeps its model. */
  readonly before: RunModels | null
}

/**
 * Returns the models named on the command line, for Runs that may include a crew's. Null when none
 * was named; the Runs then keep their models. Throws DrydockError `bad_usage` for an architect's
 * model where there is no architect.
 */
export function namedModels(
  drydock: Pick<Installation, 'env' | 'user' | 'model' | 'agent'>,
  options: WorkOptions,
  { before, ...roles }: Naming,
): RunModels | null {
  const { model, architectModel, editorModel, scoutModel } = options
  if (architectModel !== undefined && !roles.crew) {
    throw usage(
      '--architect-model has no effect: only a spec, and a task with --review, have an architect.',
      'Leave it out.',
    )
  }
  const named = model ?? editorModel ?? scoutModel ?? architectModel
  if (named === undefined) return null
  return checkModels(
    drydock,
    model === undefined && before !== null ? { ...kept(before, roles), ...options } : options,
    roles,
  )
}

/** The models of a Run in the form of options. */
function kept(models: RunModels, { crew }: Roles): Pick<WorkOptions, 'architectModel' | 'editorModel' | 'scoutModel'> {
  const { architect, editor, scout, fallback = {} } = models
  const listed = (first: string, others: readonly string[] = []) => [first, ...others].join(',')
  return {
    ...(crew && architect !== null && { architectModel: listed(architect, fallback.architect) }),
    editorModel: listed(editor, fallback.editor),
    scoutModel: listed(scout, fallback.scout),
  }
}

/**
 * Makes the path in a replay model's name absolute, so that a process in any folder finds the file.
 */
function absolute(id: string): string {
  return id.startsWith('replay:') ? `replay:${resolve(id.slice('replay:'.length))}` : id
}
