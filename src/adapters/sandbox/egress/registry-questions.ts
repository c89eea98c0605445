import { isObject, parsedJson } from '../../../domain/json.ts'
import { type Endpoint, endpointOf } from './allow-list.ts'

/** A package manager's answer about its registries. */
export interface RegistryAnswer {
  readonly endpoints: readonly Endpoint[]
  /**
   * Variables that make the package manager use the same registries inside; without credentials.
   */
  readonly env: Readonly<Record<string, string>>
  /** Lines of configuration files, for settings that have no variable. */
  readonly npmrc: readonly string[]
  readonly cargoConfig: readonly string[]
  /** Certificate files of this machine, by the variable that names them. */
  readonly certificates: Readonly<Record<string, string>>
}

export interface RegistryQuestion {
  /** Runs without a network in a new folder. Prints nothing if the package manager is missing. */
  readonly command: string
  readonly read: (output: string) => Promise<RegistryAnswer> | RegistryAnswer
}

export const noAnswer: RegistryAnswer = { endpoints: [], env: {}, npmrc: [], cargoConfig: [], certificates: {} }

/** No registry is hard-coded here, since the package managers know theirs. */
export const registryQuestions: readonly RegistryQuestion[] = [
  { command: 'npm config list --long', read: readNpm },
  { command: 'yarn config get registry', read: (output) => readYarn(output, 'YARN_REGISTRY') },
  { command: 'yarn config get npmRegistryServer', read: (output) => readYarn(output, 'YARN_NPM_REGISTRY_SERVER') },
  { command: `python3 -m pip config list; python3 -c '${pipDefaults()}'`, read: readPip },
  { command: 'go env GOPROXY GOSUMDB GONOSUMDB', read: readGo },
  { command: cargoFetch(), read: readCargo },
]

/**
 * Reads the effective settings, one per line. npm replaces passwords by asterisks here, while its
 * JSON output would omit such a URL.
 */
function readNpm(output: string): RegistryAnswer {
  const inForce = [...output.matchAll(/^(cafile|(?:@[^:\s]+:)?registry) = "(.*)"$/gm)]
  const config = new Map(inForce.map(([, key = '', value = '']) => [key, value]))
  const registry = withoutCredentials(config.get('registry'))
  if (registry === null) return noAnswer
  const scoped = [...config].flatMap(([key, value]) => {
    const url = key.startsWith('@') ? withoutCredentials(value) : null
    return url === null ? [] : [{ key, url }]
  })
  const cafile = config.get('cafile')
  return {
    endpoints: [registry, ...scoped.map(({ url }) => url)].flatMap(endpoints),
    env: {
      npm_config_registry: registry,
      COREPACK_NPM_REGISTRY: registry,
      YARN_REGISTRY: registry,
      YARN_NPM_REGISTRY_SERVER: registry,
      ...unsafeHosts(registry),
    },
    npmrc: scoped.map(({ key, url }) => `${key}=${url}`),
    cargoConfig: [],
    certificates: cafile === undefined ? {} : { npm_config_cafile: cafile },
  }
}

/** Yarn 1 and later versions each know only their own key. */
function readYarn(output: string, variable: string): RegistryAnswer {
  const registry = withoutCredentials(output.trim())
  if (registry === null) return noAnswer
  return { ...noAnswer, endpoints: endpoints(registry), env: { [variable]: registry, ...unsafeHosts(registry) } }
}

function pipDefaults(): string {
  return 'from pip._internal.models.index import PyPI; print("default", PyPI.simple_url, "https://" + PyPI.file_storage_domain)'
}

function readPip(output: string): RegistryAnswer {
  const lines = output.split('\n')
  /**
   * The values of a key: those of the environment come before those of a command, and these before
   * global ones.
   */
  const wordsOf = (key: string) => {
    const line = [':env:', 'install', 'global']
      .map((section) => lines.find((text) => text.startsWith(`${section}.${key}=`)))
      .find((text) => text !== undefined)
    return line?.slice(line.indexOf('=') + 1).match(/(?<=[\s'"]|\\n)[^\s'"\\]+/g) ?? []
  }
  const urlsOf = (key: string) => wordsOf(key).flatMap((word) => withoutCredentials(word) ?? [])
  const [index] = urlsOf('index-url')
  const extra = urlsOf('extra-index-url')
  const defaults =
    index === undefined
      ? lines
          .find((text) => text.startsWith('default '))
          ?.split(' ')
          .slice(1)
      : []
  const trusted = wordsOf('trusted-host')
  const [certificate] = wordsOf('cert')
  return {
    endpoints: [index ?? '', ...extra, ...urlsOf('find-links'), ...(defaults ?? [])].flatMap(endpoints),
    env: {
      ...(index !== undefined && { PIP_INDEX_URL: index, UV_DEFAULT_INDEX: index }),
      ...(extra.length > 0 && { PIP_EXTRA_INDEX_URL: extra.join(' '), UV_INDEX: extra.join(' ') }),
      ...(trusted.length > 0 && { PIP_TRUSTED_HOST: trusted.join(' ') }),
    },
    npmrc: [],
    cargoConfig: [],
    certificates: certificate === undefined ? {} : { PIP_CERT: certificate },
  }
}

function readGo(output: string): RegistryAnswer {
  const [proxies = '', checksums = '', unchecked = ''] = output.split('\n')
  // Keeps the separators: after a comma only a missing module, after a bar any error leads to the
  // next proxy.
  const parts = proxies.split(/([,|])/)
  const kept = parts.flatMap((url, i) => {
    const cleaned = i % 2 === 0 ? withoutCredentials(url) : null
    return cleaned === null ? [] : [{ url: cleaned, before: parts[i - 1] ?? '' }]
  })
  if (kept.length === 0) return noAnswer
  const [name = '', url = `https://${name.replace(/\+.*/, '')}`] = checksums.split(' ')
  return {
    ...noAnswer,
    endpoints: [...kept.map((one) => one.url), ...(name === 'off' ? [] : [url])].flatMap(endpoints),
    env: {
      GOPROXY: kept.map((one, i) => (i === 0 ? one.url : `${one.before}${one.url}`)).join(''),
      ...(checksums !== '' && { GOSUMDB: checksums }),
      ...(unchecked !== '' && { GONOSUMDB: unchecked }),
    },
  }
}

/**
 * Cargo has no command that prints its index, so it is made to fetch a package that does not exist.
 * Its configuration files name the other registries.
 */
function cargoFetch(): string {
  const manifest = '[package]\\nname = "a"\\nversion = "0.0.0"\\nedition = "2021"\\n[dependencies]\\nb = "1"\\n'
  const fetch = `mkdir src && : > src/lib.rs && printf '${manifest}' > Cargo.toml && CARGO_NET_RETRY=0 cargo fetch 2>&1`
  return `${fetch}; cat "$HOME/.cargo/config.toml" "$HOME/.cargo/config"`
}

async function readCargo(output: string): Promise<RegistryAnswer> {
  const index = /(?:failed to (?:download from|fetch)|unable to update) `?(https?:\/\/[^\s`]+)/i.exec(output)?.[1]
  if (index === undefined) return noAnswer
  const cargoConfig = cargoSources(output)
  const named = cargoConfig.flatMap((line) => /"(?:sparse\+)?(http.*)"$/.exec(line)?.[1] ?? [])
  const indexes = [...new Set([index.replace(/config\.json$/, ''), ...named])]
  const downloads = await Promise.all(indexes.map(crateDownloads))
  return { ...noAnswer, endpoints: [...indexes, ...downloads.flat()].flatMap(endpoints), cargoConfig }
}

/**
 * The registries and source replacements of a cargo configuration, without its settings for builds.
 */
function cargoSources(text: string): readonly string[] {
  let wanted = false
  return text.split('\n').flatMap((line) => {
    const [, table] = /^\s*(\[.*\])/.exec(line) ?? []
    if (table !== undefined) wanted = /^\[(source|registries)\.[^\]]+\]$/.test(table)
    if (table !== undefined) return wanted ? [table] : []
    const [, key, kind = '', value = ''] =
      /^\s*(registry|index|replace-with)\s*=\s*"(sparse\+)?([^"]*)"/.exec(line) ?? []
    if (!wanted || key === undefined) return []
    if (key === 'replace-with') return [`${key} = "${value}"`]
    const url = withoutCredentials(value)
    return url === null ? [] : [`${key} = "${kind}${url}"`]
  })
}

/**
 * A sparse index names the location of its packages in a public file; one in a git repository does
 * not.
 */
async function crateDownloads(index: string): Promise<readonly string[]> {
  try {
    const url = `${index.replace(/\/$/, '')}/config.json`
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
    const { dl } = parseObject(await response.text())
    return typeof dl === 'string' ? [dl.replace(/[{].*/, '')] : []
  } catch {
    // Without the index cargo will fail too, with its own message.
    return []
  }
}

function endpoints(url: string): readonly Endpoint[] {
  const endpoint = endpointOf(url)
  return endpoint === null ? [] : [endpoint]
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text)
  return isObject(value) ? value : {}
}

/** Null for anything but an http or https URL. */
function withoutCredentials(value: unknown): string | null {
  const url = typeof value === 'string' && endpointOf(value) !== null ? URL.parse(value) : null
  if (url === null) return null
  url.username = ''
  url.password = ''
  url.hash = ''
  return url.href
}

/** Later versions of yarn use plain HTTP only with listed hosts. */
function unsafeHosts(registry: string): Readonly<Record<string, string>> {
  const { protocol, hostname } = new URL(registry)
  return protocol === 'http:' ? { YARN_UNSAFE_HTTP_WHITELIST: hostname } : {}
}
