import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { efforts } from '../domain/model-name.ts'

/** A model's id: `anthropic:claude-…`, `replay:<file>`, `<name under providers>:…`. */
export const modelId = z.string().regex(/^[A-Za-z0-9._-]+:.+$/, { error: 'must look like <provider>:<model>' })

const oneModel = z.union([modelId, z.strictObject({ model: modelId, effort: z.enum(efforts).exactOptional() })], {
  error: 'must look like <provider>:<model>, or { "model", "effort" }',
})

/**
 * The model of a role, or several in order of preference: each replaces those before it while they
 * are unavailable.
 */
export const modelChoice = z
  .union([oneModel, z.array(oneModel).min(1).max(limits.fallback.models)], {
    error: 'must look like <provider>:<model>, be { "model", "effort" }, or a list of these',
  })
  .meta({
    id: 'model_choice',
    description: 'A model; or a list, of which each stands in when those before it are out.',
  })

type ModelChoice = z.output<typeof modelChoice>

/** The ids of the chosen models, in order. */
export function namesOf(choice: ModelChoice): readonly string[] {
  return (Array.isArray(choice) ? choice : [choice]).map((one) => {
    if (typeof one === 'string') return one
    return one.effort === undefined ? one.model : `${one.model}#${one.effort}`
  })
}
