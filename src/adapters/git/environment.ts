/**
 * The environment of git on Drydock's own directories, without the user's or the system's
 * configuration.
 */
export function ownedEnvironment(from: NodeJS.ProcessEnv, own: { config: string; home: string }) {
  return {
    ...common(from),
    HOME: own.home,
    XDG_CONFIG_HOME: own.home,
    GIT_CONFIG_GLOBAL: own.config,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_DEFAULT_REF_FORMAT: 'files',
  }
}

/**
 * The environment of git on the user's repository: with the user's configuration, but without the
 * caller's `GIT_DIR` and similar variables, and without replacement objects.
 */
export function userEnvironment(from: NodeJS.ProcessEnv) {
  const fixed = { GIT_LITERAL_PATHSPECS: '1', GIT_NO_REPLACE_OBJECTS: '1', GIT_OPTIONAL_LOCKS: '0' }
  const kept = ['HOME', 'XDG_CONFIG_HOME', 'USER', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']
  return { ...common(from), ...pick(from, kept), ...fixed }
}

/**
 * The environment of git commands that talk to servers: it also has the user's keys, proxies and
 * certificates.
 */
export function remoteEnvironment(from: NodeJS.ProcessEnv) {
  return { ...userEnvironment(from), ...pick(from, remoteVariables) }
}

/**
 * The environment variables for proxies and certificates, for a git that uses no configuration of
 * the user.
 */
export function wayEnvironment(from: NodeJS.ProcessEnv): Record<string, string> {
  return pick(from, wayVariables)
}

const wayVariables = [
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
]

const remoteVariables = [
  'LOGNAME',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
  'GIT_ASKPASS',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_DATA_HOME',
  'GNUPGHOME',
  ...wayVariables,
]

function common(from: NodeJS.ProcessEnv) {
  return { ...pick(from, ['PATH', 'TMPDIR', 'SYSTEMROOT']), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' }
}

function pick(from: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))
}
