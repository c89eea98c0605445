import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { baseVariables, keyVariables, proxyVariables } from '../domain/providers.ts'
import { secretHeaders } from '../domain/secrets/secret-headers.ts'
import { hostPath } from '../processes/host-path.ts'
import type { UserConfig } from './schema.ts'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Drydock's settings from the environment, except keys. Paths are absolute. */
export interface Environment {
  readonly home: string
  /** `$XDG_CONFIG_HOME/drydock/config.json`; may not exist. */
  readonly userFile: string
  /** Folder that holds the state of all repositories; may not exist. */
  readonly stateRoot: string
  /** The cache folder; may not exist. */
  readonly cache: string
  /** PATH for finding git and bwrap: absolute folders outside of the state. */
  readonly path: string
  /** Entries of PATH that were dropped, because an agent could write there. */
  readonly droppedPath: readonly string[]
  readonly noColor: boolean
  /** False if `DRYDOCK_MODEL_TRIAL=off`. */
  readonly triesModels: boolean
}

export function readEnvironment(env: EnvironmentVariables): Environment {
  const home = env.HOME || userInfo().homedir
  const stateRoot = env.DRYDOCK_HOME
    ? resolve(env.DRYDOCK_HOME)
    : join(xdgFolder(env.XDG_STATE_HOME, join(home, '.local', 'state')), 'drydock')
  const { path, dropped } = hostPath(env.PATH ?? '', [stateRoot])
  return {
    home,
    userFile: join(xdgFolder(env.XDG_CONFIG_HOME, join(home, '.config')), 'drydock', 'config.json'),
    stateRoot,
    cache: join(xdgFolder(env.XDG_CACHE_HOME, join(home, '.cache')), 'drydock'),
    path,
    droppedPath: dropped,
    noColor: Boolean(env.NO_COLOR),
    triesModels: env.DRYDOCK_MODEL_TRIAL !== 'off',
  }
}

/**
 * The variables for calls of models: keys, including those that `providers` name, and base URLs.
 * Unset ones are left out. The result contains secrets: it is only for the process that calls
 * models, and is never stored, logged or passed to a child.
 */
export function readModelVariables(
  env: EnvironmentVariables,
  providers: UserConfig['providers'],
): Readonly<Record<string, string>> {
  const wanted = [...keyVariables, ...baseVariables, ...proxies, ...namedVariables(providers)]
  return Object.fromEntries(
    wanted.flatMap((name) => {
      const value = env[name]?.trim()
      return value ? [[name, value] as const] : []
    }),
  )
}

/** The variables that entries of `providers` name, for keys and for headers. */
export function namedVariables(providers: UserConfig['providers']): readonly string[] {
  return Object.values(providers).flatMap((provider) => [
    ...(provider.apiKeyEnv === undefined ? [] : [provider.apiKeyEnv]),
    ...headersOf(provider)
      .flatMap(Object.values)
      .flatMap((value) => (typeof value === 'string' ? [] : [value.env])),
  ])
}

/** The literal secret values of headers in the file. */
export function secretHeadersIn(providers: UserConfig['providers']): readonly string[] {
  return Object.values(providers)
    .flatMap(headersOf)
    .flatMap(secretHeaders)
    .filter((value) => typeof value === 'string')
}

function headersOf({ headers = {}, models = {} }: Pick<UserConfig['providers'][string], 'headers' | 'models'>) {
  return [headers, ...Object.values(models).map((each) => each.headers ?? {})]
}

const proxies: readonly string[] = Object.values(proxyVariables).flat()

/** The passwords in proxy variables. */
export function proxyPasswords(env: EnvironmentVariables): readonly string[] {
  return proxies.flatMap((name) => URL.parse(env[name]?.trim() ?? '')?.password || [])
}

/** The values of those variables that are keys. */
export function readKeys(env: EnvironmentVariables, providers: UserConfig['providers']): readonly string[] {
  return Object.entries(readModelVariables(env, providers)).flatMap(([name, value]) =>
    [...baseVariables, ...proxies].includes(name) ? [] : [value],
  )
}

const packageManagerVariables = new Set([
  'NPM_CONFIG_REGISTRY',
  'NPM_CONFIG_CAFILE',
  'NPM_CONFIG_USERCONFIG',
  'YARN_REGISTRY',
  'YARN_NPM_REGISTRY_SERVER',
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'PIP_FIND_LINKS',
  'PIP_TRUSTED_HOST',
  'PIP_CONFIG_FILE',
  'PIP_CERT',
  'GOPROXY',
  'GOSUMDB',
  'GONOSUMDB',
  'GOENV',
  'CARGO_HTTP_CAINFO',
  'RUSTUP_HOME',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
])

/**
 * The variables that set the registries, proxies and trusted certificates of package managers.
 * Their URLs may contain passwords. Variables that npm sets for its children are left out, since
 * they also contain a project's own configuration.
 */
export function readPackageManagerVariables(env: EnvironmentVariables): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const wanted = packageManagerVariables.has(/^npm_config_/.test(name) ? name.toUpperCase() : name)
      const ofNpm = env.npm_execpath !== undefined && /^npm_config_/.test(name)
      return value && wanted && !ofNpm ? [[name, value] as const] : []
    }),
  )
}

const containerVariables = [
  'HOME',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_CERT_PATH',
  'DOCKER_TLS_VERIFY',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
  'CONTAINERS_REGISTRIES_CONF',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
]

/** The variables that docker and podman need on the host. */
export function readContainerVariables(
  env: EnvironmentVariables,
): Readonly<Record<string, string>> & { readonly PATH: string } {
  const set = containerVariables.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []))
  return { ...Object.fromEntries(set), PATH: readEnvironment(env).path }
}

const hookVariables = [
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
]

/** The variables that a user's program needs to show something on this machine. */
export function readHookVariables(
  env: EnvironmentVariables,
): Readonly<Record<string, string>> & { readonly HOME: string; readonly PATH: string } {
  const { home, path } = readEnvironment(env)
  const set = hookVariables.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []))
  return { ...Object.fromEntries(set), HOME: home, PATH: path }
}

/** The XDG specification says that relative paths are ignored. */
function xdgFolder(value: string | undefined, fallback: string): string {
  return value && isAbsolute(value) ? value : fallback
}
