import { DrydockError } from '../domain/drydock-error.ts'
import { type HostedProvider, hostedNames, hostedProviders } from '../domain/providers.ts'
import { type EnvironmentVariables, readModelVariables } from './environment.ts'
import type { LoadedUserConfig } from './load.ts'
import { namesOf } from './model-choice.ts'

export type ModelRole = 'architect' | 'editor' | 'scout'

/** `--model` is `default`; `--architect-model` and the like are the roles. */
export type ModelFlags = { readonly [Name in ModelRole | 'default']?: string }

const exampleOf = (name: HostedProvider) => `${name}:${hostedProviders[name].example}`
const keyOf = (name: HostedProvider) => hostedProviders[name].keyEnv

/**
 * The model of each requested role, or several separated by commas: flags override the user's file,
 * and within each, the role overrides the default. No model is guessed from the keys that are set.
 * Throws DrydockError `no_model`.
 */
export function resolveModels<Role extends ModelRole>(
  roles: readonly Role[],
  sources: { readonly flags: ModelFlags; readonly user: LoadedUserConfig; readonly env: EnvironmentVariables },
): Readonly<Record<Role, string>> {
  const { flags, user } = sources
  const entries = roles.map((role) => {
    const id = flags[role] ?? flags.default ?? user.models[role] ?? user.models.default
    if (id === undefined) throw noModel(role, user, sources.env)
    return [role, typeof id === 'string' ? id : namesOf(id).join(',')] as const
  })
  return Object.fromEntries(entries) as Record<Role, string>
}

function noModel(role: ModelRole, user: LoadedUserConfig, env: EnvironmentVariables): DrydockError {
  const set = readModelVariables(env, {})
  const usable = hostedNames.filter((name) => keyOf(name) in set)
  const keep = `or put { "models": { "default": "${exampleOf(usable[0] ?? 'anthropic')}" } } into ${user.file}`
  if (usable.length === 0) {
    const others = hostedNames
      .filter((name) => name !== 'anthropic')
      .map(keyOf)
      .join(', ')
    return new DrydockError('no_model', `No model is configured for the ${role}, and no provider key is set.`, {
      todo: `Set ${keyOf('anthropic')} (or ${others}) and add \`--model ${exampleOf('anthropic')}\`, ${keep}. Ollama needs no key: \`--model ollama:<name>\`. \`drydock demo\` needs neither.`,
    })
  }
  const keys = usable.map(keyOf).join(' and ')
  const lines = usable.map((name) => `\`--model ${exampleOf(name)}\``).join(' or ')
  return new DrydockError(
    'no_model',
    `No model is configured for the ${role}. ${keys} is set, but does not name a model.`,
    {
      todo: `Add ${lines}, ${keep}.`,
    },
  )
}
