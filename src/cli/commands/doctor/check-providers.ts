import type { Installation } from '../../../app/installation.ts'
import { askProvider } from '../../../compose.ts'
import { readModelVariables } from '../../../config/environment.ts'
import { hostedProviders, replayProvider } from '../../../domain/providers.ts'
import type { Context } from '../../context.ts'
import { type Check, failed } from './check.ts'

/**
 * Every provider that is configured or has a key is asked for its models, which costs nothing.
 * `models` are the ids in use; another provider that fails is told and is nothing missing, as long
 * as some model is in use.
 */
export async function checkProviders(
  { terminal }: Context,
  { user: { providers } }: Pick<Installation, 'user'>,
  models: readonly string[],
): Promise<Check[]> {
  const env = readModelVariables(terminal.env, providers)
  const used = Map.groupBy(models, (id) => id.slice(0, id.indexOf(':')))
  const hostedKeys = Object.fromEntries(Object.entries(hostedProviders).map(([name, { keyEnv }]) => [name, keyEnv]))
  const withKey = Object.entries(hostedKeys).flatMap(([name, key]) => (key in env ? [name] : []))
  const names = new Set([...used.keys(), ...Object.keys(providers), ...withKey])
  names.delete(replayProvider)
  const keys: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(Object.entries(providers).map(([name, { apiKeyEnv }]) => [name, apiKeyEnv])),
    ...hostedKeys,
  }
  return Promise.all(
    [...names].map(async (name) => {
      const named = (used.get(name) ?? []).map((id) => id.slice(name.length + 1))
      const check = await checkProvider({ name, key: keys[name], models: named }, { providers, env })
      return check.ok || named.length > 0 || models.length === 0 ? check : unused(check)
    }),
  )
}

interface ProviderCheckInput {
  readonly name: string
  /** The variable with its key. */
  readonly key: string | undefined
  /** Those in use, as the provider calls them. */
  readonly models: readonly string[]
}

async function checkProvider(
  { name, key, models }: ProviderCheckInput,
  from: Parameters<typeof askProvider>[1],
): Promise<Check> {
  const consequence = `No model of ${name} can be used.`
  const missing = (found: string, fix: string, exit: number): Check => ({
    name: 'provider',
    ok: false,
    found,
    fix,
    consequence,
    exit,
  })
  try {
    const said = await askProvider(name, from)
    const place = `${name} at ${said.host}`
    if (said.answer === 'failed') {
      const fix = `Check the address (baseURL of "providers", or its variable) and the network of this machine.`
      return missing(`${place} cannot be reached: ${said.why}`, fix, 4)
    }
    if (said.answer === 'key_refused') {
      const which = key ?? `apiKeyEnv of "providers"."${name}"`
      return missing(`${place} refuses the key (${said.status})`, `Correct the key in ${which}.`, 2)
    }
    const unknown = models.filter((model) => said.models !== null && !knows(said.models, model))
    if (unknown.length > 0) {
      const some = said.models?.slice(0, 10).join(', ') || 'none'
      return missing(`${place} does not know ${unknown.join(', ')}`, `Name one of its models: ${some}`, 2)
    }
    const keyed = key === undefined ? '' : `, ${key} is accepted`
    const known =
      said.models === null ? ', does not list its models' : models.map((model) => `, knows ${model}`).join('')
    return { name: 'provider', ok: true, found: `${place} answers${keyed}${known}`, exit: 0 }
  } catch (error) {
    return failed('provider', error, consequence)
  }
}

/** Ollama adds the tag `latest` to a name without one. */
function knows(models: readonly string[], model: string): boolean {
  return models.includes(model) || models.includes(`${model}:latest`)
}

function unused({ found, fix, consequence, ...check }: Check): Check {
  return { ...check, ok: true, exit: 0, found: `${found} (no role uses it)`, ...(consequence && { consequence }) }
}
