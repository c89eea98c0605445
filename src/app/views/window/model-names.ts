import { namesOf } from '../../../config/model-choice.ts'
import type { Installation } from '../../installation.ts'
import type { WorkOptions } from '../../work-options.ts'

/**
 * The models, and the foreign agents as `agent:<name>`, that the user's file or a command's options
 * name, each once.
 */
export function modelNames({ user }: Pick<Installation, 'user'>, options: WorkOptions): readonly string[] {
  const { model, architectModel, editorModel, scoutModel } = options
  const named = [model, architectModel, editorModel, scoutModel].flatMap((names) => names?.split(',') ?? [])
  const chosen = Object.values(user.models).flatMap((choice) => (choice === undefined ? [] : namesOf(choice)))
  const agents = Object.keys(user.agents).map((name) => `agent:${name}`)
  return [...new Set([...named, ...chosen, ...Object.keys(user.prices), ...Object.keys(user.context), ...agents])]
}
