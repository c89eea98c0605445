import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryFolders } from '../../../domain/temporary-folders.ts'
import type { InfraError } from '../../../domain/verification/verdict.ts'
import type { PlainMount, SandboxResult } from '../../../ports/sandbox.ts'
import { type LoopbackPorts, loopbackPorts } from '../loopback-ports.ts'
import { createAllowList } from './allow-list.ts'
import { startProxy } from './proxy.ts'
import type { RegistryAnswer } from './registry-questions.ts'

/** The access of one sandbox without a network to permitted hosts. */
export interface Egress extends LoopbackPorts {
  readonly env: Readonly<Record<string, string>>
  /** The reasons why requests were refused, one per line. */
  refused(): readonly string[]
  /** Permitted hosts that could not be reached. */
  unreached(): readonly string[]
  /** Closes all connections and removes the files. */
  close(): Promise<void>
}

export interface EgressInput {
  /** Names of hosts, optionally with a port. */
  readonly hosts: readonly string[]
  readonly registries: RegistryAnswer
}

const inside = '/.drydock/egress'
const npmrcInside = `${inside}/npmrc`
const port = 8_129

export async function openEgress({ hosts, registries }: EgressInput): Promise<SandboxResult<Egress>> {
  const closing = new AsyncDisposableStack()
  try {
    // The temporary folder is closed to other users of the host; inside the sandbox, the command
    // may run as any user.
    const folder = await mkdtemp(join(tmpdir(), temporaryFolders.egress))
    closing.defer(() => rm(folder, { recursive: true, force: true }))
    const made = { socket: join(folder, 'socket'), files: join(folder, 'files') }
    for (const path of Object.values(made)) {
      await mkdir(path)
      await chmod(path, 0o755)
    }
    const proxy = await startProxy({
      socketPath: join(made.socket, 'proxy'),
      allowed: createAllowList(hosts, registries.endpoints),
    })
    closing.defer(() => proxy.close())
    const certificates = await certificateMounts(registries.certificates)
    const files = await configFiles(registries, made.files)
    const env = {
      ...proxyEnvironment(registries),
      ...registries.env,
      ...(registries.npmrc.length > 0 && { npm_config_userconfig: npmrcInside }),
      ...Object.fromEntries(certificates.map(({ name, at }) => [name, at])),
    }
    const loopback = loopbackPorts([{ port, socket: `${inside}/socket/proxy` }])
    const mounts = [
      ...loopback.mounts,
      { path: made.socket, at: `${inside}/socket`, access: 'read' as const },
      ...files,
      ...certificates.map(({ path, at }) => ({ path, at, access: 'read' as const })),
    ]
    return {
      ok: true,
      value: {
        mounts,
        env,
        wrap: loopback.wrap,
        refused: proxy.refused,
        unreached: proxy.unreached,
        close: () => closing.disposeAsync(),
      },
    }
  } catch (error) {
    await closing.disposeAsync()
    return { ok: false, error: couldNotOpen(error) }
  }
}

function proxyEnvironment({ endpoints }: RegistryAnswer): Readonly<Record<string, string>> {
  const url = `http://127.0.0.1:${port}`
  // A registry on the host's loopback is not on the sandbox's own loopback.
  const direct = ['localhost', '127.0.0.1', '::1'].filter((host) => endpoints.every((one) => one.host !== host)).join()
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: direct,
    // Later versions of yarn read only these variables.
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    CARGO_HTTP_PROXY: url,
    PIP_PROXY: url,
  }
}

/** Configuration files for settings that have no variable. */
async function configFiles({ npmrc, cargoConfig }: RegistryAnswer, folder: string): Promise<readonly PlainMount[]> {
  const files = [
    { lines: npmrc, path: join(folder, 'npmrc'), at: npmrcInside },
    // Cargo looks in every folder above its working directory.
    { lines: cargoConfig, path: join(folder, 'cargo.toml'), at: '/.cargo/config.toml' },
  ].filter(({ lines }) => lines.length > 0)
  for (const { lines, path } of files) await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o644 })
  return files.map(({ path, at }) => ({ path, at, access: 'read' }))
}

interface Certificates {
  readonly name: string
  readonly path: string
  readonly at: string
}

/** Mounts for the certificate files that exist. */
async function certificateMounts(certificates: RegistryAnswer['certificates']): Promise<readonly Certificates[]> {
  const found = await Promise.all(
    Object.entries(certificates).map(async ([name, path]) => {
      const stats = await stat(path).catch(() => null)
      return stats?.isFile() ? [{ name, path, at: `${inside}/certificates/${name}` }] : []
    }),
  )
  return found.flat()
}

function couldNotOpen(error: unknown): InfraError {
  const why = error instanceof Error ? error.message : String(error)
  return { errorType: 'container_creation', errorMessage: `The proxy for the network of a step did not start: ${why}` }
}
