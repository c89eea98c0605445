import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Mount, PlainMount, Sandbox, SandboxResult, SandboxSpec } from '../../../ports/sandbox.ts'
import { noAnswer, type RegistryAnswer, type RegistryQuestion, registryQuestions } from './registry-questions.ts'

/** The configuration of the package managers on this machine. */
export interface PackageManagers {
  /** The folder with the user's configuration files. */
  readonly home?: string
  /** The user's variables for package managers. */
  readonly env: Readonly<Record<string, string>>
}

const mebibyte = 1_048_576
const limits = { memoryBytes: 2_048 * mebibyte, fileBytes: mebibyte, openFiles: 1_024, tmpfsBytes: 64 * mebibyte }
const timeoutMs = 20_000
const homeInside = '/home/agent'
const homeFiles = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.config/pip/pip.conf',
  '.pip/pip.conf',
  '.config/go/env',
  '.cargo/config.toml',
  '.cargo/config',
]
const machineFiles = ['/etc/npmrc', '/etc/pip.conf', '/etc/xdg/pip/pip.conf']
/** Variables that name a configuration file. */
const fileVariables = ['npm_config_userconfig', 'NPM_CONFIG_USERCONFIG', 'PIP_CONFIG_FILE', 'GOENV']

/** Variables that name a certificate file. */
const certificateVariables = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'CARGO_HTTP_CAINFO',
  'PIP_CERT',
]

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']

/**
 * The registries for a command with these mounts. Without `ask`, only the certificates that
 * variables name.
 */
export type FindRegistries = (
  mounts: readonly Mount[],
  options: { readonly ask: boolean },
) => Promise<SandboxResult<MachineRegistries>>

export interface MachineRegistries extends RegistryAnswer {
  /** The variable that sets a proxy for programs of this machine; null without one. */
  readonly hostProxy: string | null
}

/**
 * Asks the package managers that a command with such mounts would find. They run in a sandbox
 * without a network, and only hosts, paths of certificates and URLs without credentials are taken
 * from their answers. Answers are cached.
 */
export function createFindRegistries(sandbox: Pick<Sandbox, 'exec'>, machine: PackageManagers): FindRegistries {
  const known = new Map<string, Promise<SandboxResult<RegistryAnswer>>>()
  const certificates = Object.fromEntries(
    Object.entries(machine.env).filter(([name]) => certificateVariables.includes(name)),
  )
  const hostProxy = proxyVariables.find((name) => machine.env[name] !== undefined) ?? null
  const whole = (answer: RegistryAnswer) => ({ ...joined({ ...noAnswer, certificates }, answer), hostProxy })

  return async (mounts, { ask }) => {
    if (!ask) return { ok: true, value: whole(noAnswer) }
    const readable = mounts.filter((mount): mount is PlainMount => mount.access === 'read')
    const key = JSON.stringify(readable)
    const asked = known.get(key) ?? askAll(sandbox, questionSpec(machine, readable))
    known.set(key, asked)
    const answer = await asked
    if (answer.ok) return { ok: true, value: whole(answer.value) }
    known.delete(key)
    return answer
  }
}

function questionSpec({ home, env }: PackageManagers, mounts: readonly PlainMount[]): SandboxSpec {
  const ofUser =
    home === undefined ? [] : homeFiles.map((name) => ({ path: join(home, name), at: join(homeInside, name) }))
  const named = fileVariables.flatMap((name) => (isAbsolute(env[name] ?? '') ? [{ path: env[name] ?? '' }] : []))
  const files = [...ofUser, ...machineFiles.map((path) => ({ path })), ...named].filter(({ path }) => existsSync(path))
  return {
    mounts: [...mounts, ...files.map((file) => ({ ...file, access: 'read' }) as const)],
    cwd: '/tmp',
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !proxyVariables.includes(name))),
      // Keeps the tools from downloading another version of themselves.
      COREPACK_ENABLE_NETWORK: '0',
      GOTOOLCHAIN: 'local',
      ...(home !== undefined && { RUSTUP_HOME: env.RUSTUP_HOME ?? join(home, '.rustup') }),
    },
    limits,
  }
}

async function askAll(sandbox: Pick<Sandbox, 'exec'>, spec: SandboxSpec): Promise<SandboxResult<RegistryAnswer>> {
  const answers = await Promise.all(registryQuestions.map((question) => ask(sandbox, spec, question)))
  const failed = answers.find((answer) => !answer.ok)
  if (failed !== undefined && !failed.ok) return failed
  const values = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
  return { ok: true, value: values.reduce(joined, noAnswer) }
}

async function ask(
  sandbox: Pick<Sandbox, 'exec'>,
  spec: SandboxSpec,
  { command, read }: RegistryQuestion,
): Promise<SandboxResult<RegistryAnswer>> {
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    if (output.length < mebibyte) output += Buffer.from(chunk).toString()
  }
  const asking = { command: `exec 2>/dev/null; ${command}`, timeoutMs, onOutput }
  const done = await sandbox.exec(spec, asking, new AbortController().signal)
  return done.ok ? { ok: true, value: await read(output) } : done
}

/** If both set the same variable, the second wins, since it is more specific. */
function joined(one: RegistryAnswer, other: RegistryAnswer): RegistryAnswer {
  return {
    endpoints: [...one.endpoints, ...other.endpoints],
    env: { ...one.env, ...other.env },
    npmrc: [...one.npmrc, ...other.npmrc],
    cargoConfig: [...one.cargoConfig, ...other.cargoConfig],
    certificates: { ...one.certificates, ...other.certificates },
  }
}
