import { resolve } from 'node:path'
import { resolveModels } from '../../config/models.ts'
import type { RunModels } from '../../domain/run/run.ts'
import type { Drydock } from '../drydock.ts'
import { usage } from '../usage.ts'
import type { WorkOptions } from '../work-options.ts'

interface Roles {
  /** There is an architect. */
  readonly crew: boolean
  /** False where nothing is changed: then no model of an editor has to be configured. */
  readonly editor?: boolean
}

/**
 * The models of the roles of a task or of a crew. Each is checked as far as possible without
 * calling it.
 */
export function checkModels(drydock: Drydock, options: WorkOptions, { crew, editor: edits = true }: Roles): RunModels {
  const flags = {
    ...(options.model && { default: options.model }),
    ...(options.architectModel && { architect: options.architectModel }),
    ...(options.editorModel && { editor: options.editorModel }),
    ...(options.scoutModel && { scout: options.scoutModel }),
  }
  const sources = { flags, user: drydock.user, env: drydock.env }
  const named = edits ? resolveModels(['editor'], sources).editor : null
  const { scout } = resolveModels(['scout'], sources)
  const editor = named ?? scout
  const architect = crew ? absolute(resolveModels(['architect'], sources).architect) : null
  const models = { architect, editor: absolute(editor), scout: absolute(scout) }
  for (const id of new Set(Object.values(models))) if (id !== null) drydock.model(id)
  return models
}

/**
 * Models named on the command line, for Runs that may include a crew's. Null when none was named;
 * the Runs then keep their models. Throws DrydockError `bad_usage` for an architect's model where
 * there is no architect.
 */
export function namedModels(drydock: Drydock, options: WorkOptions, roles: Roles): RunModels | null {
  const { model, architectModel, editorModel, scoutModel } = options
  if (architectModel !== undefined && !roles.crew) {
    throw usage('--architect-model has no effect: only a spec has an architect.', 'Leave it out.')
  }
  const named = model ?? editorModel ?? scoutModel ?? architectModel
  return named === undefined ? null : checkModels(drydock, options, roles)
}

/** A replay file is found from any folder. */
function absolute(id: string): string {
  return id.startsWith('replay:') ? `replay:${resolve(id.slice('replay:'.length))}` : id
}
