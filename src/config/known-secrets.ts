import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobSecrets } from './blob-settings.ts'
import { databaseSecrets } from './database/database-server.ts'
import { type EnvironmentVariables, proxyPasswords, readEnvironment, readKeys, secretHeadersIn } from './environment.ts'
import { forgeSecrets } from './forge/choose-forge.ts'
import type { LoadedUserConfig } from './load.ts'
import { oidcSecrets } from './oidc-settings.ts'
import { telemetrySecrets } from './telemetry.ts'

/** The usual names of variables with a secret. */
const secretName = /(?:^|_)(?:[A-Z]*KEY|[A-Z]*TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)$/i

/**
 * The values of all secrets, which must never be written or shown: models' keys, variables with a
 * secret's name, the webhook's URL, which lets anybody post to it, and the installation's signing
 * keys.
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

/** The secrets in the environment, for output before any configuration is read. */
export function secretVariables(env: EnvironmentVariables): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => (secretName.test(name) ? value.trim().split('\n') : []))
}

/** The existing keys that sign dashboard sessions and receipts. */
function installationSecrets(env: EnvironmentVariables): readonly string[] {
  const { stateRoot } = readEnvironment(env)
  return ['dashboard-secret', 'receipt-key.pem'].flatMap((name) => readLines(join(stateRoot, name)))
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    // The file does not exist yet, or this process cannot read it, and so cannot leak it either.
    return []
  }
}

/** The secret values of variables and headers for MCP servers. */
function mcpSecrets(servers: LoadedUserConfig['mcp'], env: EnvironmentVariables): readonly string[] {
  return Object.values(servers).flatMap(({ env: variables, headers = {} }) => {
    const values = [...Object.values(variables), ...Object.values(headers)]
    return values.flatMap((value) => {
      const text = typeof value === 'string' ? value : (env[value.env] ?? '')
      // A scheme such as Bearer is not secret, but the rest of the value is a secret by itself.
      const [, rest] = /^[A-Za-z]+ +(\S.*)$/.exec(text) ?? []
      return rest === undefined ? [text.trim()] : [text, rest.trim()]
    })
  })
}
