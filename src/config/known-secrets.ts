import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobSecrets } from './blob-settings.ts'
import { databaseSecrets } from './database/database-server.ts'
import { type EnvironmentVariables, proxyPasswords, readEnvironment, readKeys, secretHeadersIn } from './environment.ts'
import { forgeSecrets } from './forge/choose-forge.ts'
import type { LoadedUserConfig } from './load.ts'
import { oidcSecrets } from './oidc-settings.ts'
import { telemetrySecrets } from './telemetry.ts'

/** Variables that hold a secret, as people name them. */
const secretName = /(?:^|_)(?:[A-Z]*KEY|[A-Z]*TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)$/i

/**
 * All that must never be written or shown, by value: keys of models, what variables of the
 * environment say that are named like secrets, the webhook's address, which lets anybody post to
 * it, and what the installation signs with.
 */
export function knownSecrets(
  env: EnvironmentVariables,
  {
    providers,
    notify,
    forges,
    hub,
    telemetry,
    mcp,
    state,
  }: Pick<LoadedUserConfig, 'providers' | 'notify' | 'forges' | 'hub' | 'telemetry' | 'mcp' | 'state'>,
): readonly string[] {
  const webhook = notify.webhook === undefined ? [] : [notify.webhook, notify.webhook.replace(/^\w+:\/\/[^/]*/, '')]
  const headers = secretHeadersIn(providers)
  return [
    ...readKeys(env, providers),
    ...headers,
    ...proxyPasswords(env),
    ...secretVariables(env),
    ...webhook,
    ...forgeSecrets(env, { forges }),
    ...oidcSecrets({ hub }, env),
    ...telemetrySecrets(telemetry, env),
    ...mcpSecrets(mcp, env),
    ...databaseSecrets({ state }, env),
    ...blobSecrets({ state }, env),
    ...installationSecrets(env),
  ]
}

/** What the environment alone says, for what is printed before any configuration was read. */
export function secretVariables(env: EnvironmentVariables): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => (secretName.test(name) ? value.trim().split('\n') : []))
}

/** Those that were made already: what signs the sessions of dashboards, and receipts. */
function installationSecrets(env: EnvironmentVariables): readonly string[] {
  const { stateRoot } = readEnvironment(env)
  return ['dashboard-secret', 'receipt-key.pem'].flatMap((name) => readLines(join(stateRoot, name)))
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    // There is none yet, or this process may not read it, and then cannot say it either.
    return []
  }
}

/** The values of variables and headers that MCP servers get, which nobody else may see. */
function mcpSecrets(servers: LoadedUserConfig['mcp'], env: EnvironmentVariables): readonly string[] {
  return Object.values(servers).flatMap(({ env: variables, headers = {} }) => {
    const values = [...Object.values(variables), ...Object.values(headers)]
    return values.flatMap((value) => {
      const text = typeof value === 'string' ? value : (env[value.env] ?? '')
      // A scheme such as Bearer is no secret, and the rest of the value is one by itself.
      const [, rest] = /^[A-Za-z]+ +(\S.*)$/.exec(text) ?? []
      return rest === undefined ? [text.trim()] : [text, rest.trim()]
    })
  })
}
