import { askProvider } from '../adapters/models/ask-provider.ts'
import { findLocalServers } from '../adapters/models/local-servers.ts'
import type { AskProvider } from '../app/commands/ask-providers.ts'
import type { Installation } from '../app/installation.ts'
import { readModelVariables } from '../config/environment.ts'

/** Asks a provider with the addresses and keys of this configuration. */
export function askProviderOf({ user: { providers }, env }: Pick<Installation, 'user' | 'env'>): AskProvider {
  return (name) => askProvider(name, { providers, env: readModelVariables(env, providers) })
}

/** The model servers of this machine. */
export const localServers: () => ReturnType<typeof findLocalServers> = () => findLocalServers()
