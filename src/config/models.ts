import { DrydockError } from '../domain/drydock-error.ts'
import { builtInKeys, type EnvironmentVariables, readModelVariables } from './environment.ts'
import type { LoadedUserConfig } from './load.ts'

export type ModelRole = 'architect' | 'editor' | 'scout'

/** `--model` is `default`; `--architect-model` and so on are the roles. */
export type ModelFlags = { readonly [Name in ModelRole | 'default']?: string }

const examples = {
  anthropic: 'anthropic:claude-sonnet-5',
  openai: 'openai:gpt-5.6',
  google: 'google:gemini-3.8-flash',
} as const

const providers = ['anthropic', 'openai', 'google'] as const

/**
 * The model id of each role that is asked for: flags first, then the user's file; within each, the
 * role before the default. Nothing is guessed from the keys that are set. DrydockError `no_model`.
 */
export function resolveModels<Role extends ModelRole>(
  roles: readonly Role[],
  sources: { readonly flags: ModelFlags; readonly user: LoadedUserConfig; readonly env: EnvironmentVariables },
): Readonly<Record<Role, string>> {
  const { flags, user } = sources
  const entries = roles.map((role) => {
    const id = flags[role] ?? flags.default ?? user.models[role] ?? user.models.default
    if (id === undefined) throw noModel(role, user, sources.env)
    return [role, id] as const
  })
  return Object.fromEntries(entries) as Record<Role, string>
}

function noModel(role: ModelRole, user: LoadedUserConfig, env: EnvironmentVariables): DrydockError {
  const set = readModelVariables(env, {})
  const usable = providers.filter((name) => builtInKeys[name] in set)
  const keep = `or put { "models": { "default": "${examples[usable[0] ?? 'anthropic']}" } } into ${user.file}`
  if (usable.length === 0) {
    return new DrydockError('no_model', `No model is configured for the ${role}, and no key of a provider is set.`, {
      todo: `Set ${builtInKeys.anthropic} (or ${builtInKeys.openai}, ${builtInKeys.google}) and add \`--model ${examples.anthropic}\`, ${keep}. Models of Ollama need no key: \`--model ollama:<name>\`. \`drydock demo\` needs neither.`,
    })
  }
  const keys = usable.map((name) => builtInKeys[name]).join(' and ')
  const lines = usable.map((name) => `\`--model ${examples[name]}\``).join(' or ')
  return new DrydockError(
    'no_model',
    `No model is configured for the ${role}; ${keys} is set, but does not say which.`,
    {
      todo: `Add ${lines}, ${keep}.`,
    },
  )
}
