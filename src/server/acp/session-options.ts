import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { WorkOptions } from '../../app/work-options.ts'
import { agentNameOf } from '../../domain/model-name.ts'
import { invalid } from './rpc-error.ts'

const modes = [
  { id: 'task', name: 'Task', description: 'One editor makes one verified change.' },
  { id: 'run', name: 'Run', description: 'A crew builds a spec. You approve its stories first.' },
  { id: 'plan', name: 'Plan', description: 'The architect splits a spec into stories. Nothing is built.' },
] as const

const roles = ['model', 'architectModel', 'editorModel', 'scoutModel'] as const
const names = {
  model: 'Model',
  architectModel: 'Architect',
  editorModel: 'Editor',
  scoutModel: 'Scouts',
} as const satisfies Record<(typeof roles)[number], string>

/** The selectable budgets of a run, in dollars. */
const budgets = ['1', '2', '5', '10', '20', '50', '100']
/** The value that stands for the flags and the configuration. */
const configured = 'configured'

export const sessionOptionsSchema = z.strictObject({
  mode: z.enum(['task', 'run', 'plan']).default('task'),
  model: z.string().optional(),
  architectModel: z.string().optional(),
  editorModel: z.string().optional(),
  scoutModel: z.string().optional(),
  budget: z.string().optional(),
})

/** The user's choices for the work of a session; absent ones are left to the configuration. */
export type SessionOptions = z.output<typeof sessionOptionsSchema>

export const firstOptions: SessionOptions = { mode: 'task' }

/** The options in the form that clients show. */
export function configOptions(chosen: SessionOptions, models: readonly string[]): SessionConfigOption[] {
  const asConfigured = { value: configured, name: 'As configured' }
  // With a single model there is nothing to choose per role.
  const shown = models.length > 1 ? roles : roles.slice(0, 1)
  return [
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: chosen.mode,
      options: modes.map(({ id, ...mode }) => ({ value: id, ...mode })),
    },
    ...shown.map(
      (role): SessionConfigOption => ({
        id: role,
        name: names[role],
        category: role === 'model' ? 'model' : 'model_config',
        type: 'select',
        currentValue: chosen[role] ?? configured,
        options: [asConfigured, ...fitting(role, models).map((name) => ({ value: name, name }))],
      }),
    ),
    {
      id: 'budget',
      name: 'Budget',
      type: 'select',
      currentValue: chosen.budget ?? configured,
      description: 'The most dollars that a run may cost. A larger one also holds for a run that rests.',
      options: [asConfigured, ...budgets.map((usd) => ({ value: usd, name: `$${usd}` }))],
    },
  ]
}

/** The models for a role. A foreign agent can only be the editor. */
function fitting(role: (typeof roles)[number], models: readonly string[]): readonly string[] {
  return role === 'editorModel' ? models : models.filter((name) => agentNameOf(name) === null)
}

/** The mode in the older form of the protocol, for clients without options. */
export function modeState({ mode }: SessionOptions): SessionModeState {
  return { currentModeId: mode, availableModes: modes.map((each) => ({ ...each })) }
}

interface Choice {
  readonly id: string
  readonly value: unknown
}

/** Applies a choice. Throws RequestError for a value that was not offered. */
export function choose(chosen: SessionOptions, { id, value }: Choice, models: readonly string[]): SessionOptions {
  const option = configOptions(chosen, models).find((each) => each.id === id)
  if (option?.type !== 'select') throw invalid(`There is no option ${id}.`)
  const offered = option.options.flatMap((each) => ('value' in each ? [each.value] : []))
  if (typeof value !== 'string' || !offered.includes(value))
    throw invalid(`${id} cannot be ${JSON.stringify(value)}. Choose one of: ${offered.join(', ')}`)
  const { [id as 'budget']: _, ...others } = chosen
  return sessionOptionsSchema.parse(value === configured ? others : { ...others, [id]: value })
}

/** Merges options, where the user's choices win over the flags of `drydock acp`. */
export function workOptions(base: WorkOptions, { mode: _, budget, ...models }: SessionOptions): WorkOptions {
  const chosen = Object.entries(models).filter(([, name]) => name !== undefined)
  // Removes the flags of single roles, since a model for every role would lose to them.
  const { architectModel: _1, editorModel: _2, scoutModel: _3, ...rest } = base
  return {
    ...(models.model === undefined ? base : rest),
    ...(Object.fromEntries(chosen) as WorkOptions),
    ...(budget !== undefined && { budgetUsd: Number(budget) }),
  }
}
