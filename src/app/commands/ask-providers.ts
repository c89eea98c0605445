import { readModelVariables } from '../../config/environment.ts'
import { DrydockError, type ErrorCode } from '../../domain/drydock-error.ts'
import { hostedProviders, replayProvider } from '../../domain/providers.ts'
import type { ProviderAnswer } from '../../ports/model.ts'
import type { Installation } from '../installation.ts'

/** Asks one provider for the models that it offers. Throws DrydockError `bad_model`, `no_key`. */
export type AskProvider = (name: string) => Promise<ProviderAnswer>

/** A provider with its answer, in words for people. */
export interface AskedProvider {
  readonly name: string
  /** True if a configured model is one that the provider offers. */
  readonly isUsed: boolean
  readonly found: string
  /** Null if the provider's models can be used. */
  readonly problem: { readonly code: ErrorCode; readonly todo: string } | null
  /** Names of the provider's models; null if it did not return a list. */
  readonly models: readonly string[] | null
}

/**
 * Asks every provider that is configured, has a key or offers one of the models `used`. Listing
 * models costs nothing.
 */
export function askProviders(
  { user: { providers }, env: given }: Pick<Installation, 'user' | 'env'>,
  used: readonly string[],
  ask: AskProvider,
): Promise<readonly AskedProvider[]> {
  const env = readModelVariables(given, providers)
  const ofProvider = Map.groupBy(used, (id) => id.slice(0, id.indexOf(':')))
  const hostedKeys = Object.fromEntries(Object.entries(hostedProviders).map(([name, { keyEnv }]) => [name, keyEnv]))
  const withKey = Object.entries(hostedKeys).flatMap(([name, key]) => (key in env ? [name] : []))
  const names = new Set([...ofProvider.keys(), ...Object.keys(providers), ...withKey])
  names.delete(replayProvider)
  const keys: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(Object.entries(providers).map(([name, { apiKeyEnv }]) => [name, apiKeyEnv])),
    ...hostedKeys,
  }
  return Promise.all(
    [...names].map(async (name) => {
      const models = (ofProvider.get(name) ?? []).map((id) => id.slice(name.length + 1))
      const answer = await answerOf({ name, key: keys[name], models }, ask)
      return { name, isUsed: models.length > 0, ...answer }
    }),
  )
}

interface ProviderQuery {
  readonly name: string
  /** The name of the environment variable with the provider's key. */
  readonly key: string | undefined
  /** Names of the models in use, as the provider spells them. */
  readonly models: readonly string[]
}

type ProviderResult = Pick<AskedProvider, 'found' | 'problem' | 'models'>

async function answerOf({ name, key, models }: ProviderQuery, ask: AskProvider): Promise<ProviderResult> {
  const bad = (found: string, todo: string, code: ErrorCode) => ({ found, problem: { code, todo }, models: null })
  try {
    const said = await ask(name)
    const place = `${name} at ${said.host}`
    if (said.answer === 'failed') {
      const todo = 'Check the address (baseURL of "providers", or its variable) and the network of this machine.'
      return bad(`${place} cannot be reached: ${said.why}`, todo, 'provider_unreachable')
    }
    if (said.answer === 'key_refused') {
      const which = key ?? `apiKeyEnv of "providers"."${name}"`
      return bad(`${place} refuses the key (${said.status})`, `Correct the key in ${which}.`, 'no_key')
    }
    const unknown = models.filter((model) => said.models !== null && !knows(said.models, model))
    if (unknown.length > 0) {
      const some = said.models?.slice(0, 10).join(', ') || 'none'
      const problem = bad(
        `${place} does not know ${unknown.join(', ')}`,
        `Name one of its models: ${some}`,
        'bad_model',
      )
      return { ...problem, models: said.models }
    }
    const keyed = key === undefined ? '' : `, ${key} is accepted`
    const known =
      said.models === null ? ', does not list its models' : models.map((model) => `, knows ${model}`).join('')
    return { found: `${place} answers${keyed}${known}`, problem: null, models: said.models }
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    return bad(error.message, error.todo, error.code)
  }
}

/** Ollama adds the tag `latest` to a name without one. */
function knows(models: readonly string[], model: string): boolean {
  return models.includes(model) || models.includes(`${model}:latest`)
}
