import { arch } from 'node:os'
import type { InfraError } from '../../../domain/verification/verdict.ts'
import type { Mount, Sandbox, SandboxResult, SandboxSpec } from '../../../ports/sandbox.ts'
import type { PackageManagers } from '../egress/registries.ts'
import { lazyRegistries, startWithEgress, withEgress } from '../egress/with-egress.ts'
import { entriesUnder } from '../environment.ts'
import { type ResolvedMount, resolveMounts } from '../mounts.ts'
import { programInside, runningProgram } from '../running-program.ts'
import { openSession } from '../session.ts'
import { withServices } from '../step-services/with-services.ts'
import { withStartableServices } from '../step-services/with-startable-services.ts'
import { toolbox, toolboxMounts } from '../toolbox.ts'
import { probeTracer, type Tracer, whyNot } from '../tracer.ts'
import { writableFolders } from '../watch-space.ts'
import { type ClientOptions, type ContainerClient, createClient } from './client.ts'
import { type ExecInput, execInContainer } from './container-exec.ts'
import { containerFailure, failure } from './container-failure.ts'
import { probeContainer } from './container-probe.ts'
import { programScript, scriptReader } from './exec-script.ts'
import { findImage, type Image, type ImageChoice } from './image.ts'
import { removeLeftovers } from './leftovers.ts'
import { dataLimit } from './run-arguments.ts'
import { seccompProfile } from './seccomp-profile.ts'
import { startContainer } from './start-container.ts'
import { withTracer } from './traced-in-container.ts'

export interface ContainerOptions extends ClientOptions, ImageChoice {
  /** Folders of the host that every container mounts, for programs that an image lacks. */
  readonly readOnlyPaths: readonly string[]
  /** Used for `egress`; if left out, `registry` means the package managers' default registries. */
  readonly packageManagers?: PackageManagers
}

type RunnerOptions = Omit<ExecInput, 'wrap'>

/** PATH on a system without a configuration. */
const plainPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Containers of docker or podman, run through their command lines: no files of the host except the
 * mounts, and no network.
 */
export function createContainerSandbox(options: ContainerOptions): Sandbox {
  const client = createClient(options)
  let tracer: Promise<Tracer> | null = null
  const ready = onceItWorks(() => makeReady(client, options))

  async function prepared(spec: SandboxSpec, signal: AbortSignal): Promise<SandboxResult<RunnerOptions>> {
    const unfit = unfitness(spec)
    if (unfit !== null) return { ok: false, error: unfit }
    const found = await unlessAborted(ready(), signal)
    if (!found.ok) return found
    const mounts = await resolveMounts(withPaths(options.readOnlyPaths, spec.mounts))
    if (!mounts.ok) return mounts
    const env = environment({ spec, mounts: mounts.value, image: found.value.image, hostPath: options.hostEnv.PATH })
    const { cwd, limits, scratch = [] } = spec
    return { ok: true, value: { ...found.value, mounts: mounts.value, scratch, cwd, env, limits } }
  }

  const sandbox: Sandbox = {
    name: options.program,
    platform: { os: 'linux', arch: arch() },
    async image() {
      const found = await ready()
      return found.ok ? { ok: true, value: found.value.image } : found
    },
    // The programs are those of the image.
    programs: async () => '',
    probe: () => probeContainer(sandbox, toolboxMounts),
    async whyNotTraced({ remembered } = { remembered: false }) {
      if (!remembered) return whyNot(await probeTracer(sandbox))
      tracer ??= probeTracer(sandbox)
      return whyNot(await tracer)
    },
    exec: (asked, wanted, given) =>
      withTracer(asked, wanted, (seen, untraced) =>
        withServices(seen, untraced, given, (spec, command, signal) =>
          withEgress(spec, command, findRegistries, async (open, wrap) => {
            const input = await prepared(open, signal)
            return input.ok ? execInContainer(client, { ...input.value, wrap }, command, signal) : input
          }),
        ),
      ),
    async open(spec, signal) {
      if (spec.egress !== undefined) throw new Error('A session has no network')
      const input = await prepared(withStartableServices(spec), signal)
      if (!input.ok) return input
      const { cwd, env, image, limits } = input.value
      const names = { program: options.program, image: image.name }
      const failed = (words: string) => containerFailure(names, words)
      const start = () => startRunner(client, input.value)
      const shell = ['/bin/sh', '-c', `${dataLimit(limits)}; exec /bin/sh -c "$1"`, 'sh']
      const writable = writableFolders(input.value.mounts)
      return openSession({ start, cwd, env, shell, writable, failure: failed }, signal)
    },
    start: (asked, program, signal) =>
      startWithEgress(asked, findRegistries, async (spec, wrap) => {
        const inside = programInside(program)
        const seen = withStartableServices({ ...spec, mounts: [...spec.mounts, ...inside.mounts] })
        const input = await prepared(seen, signal)
        if (!input.ok) return input
        const { cwd, env, image, limits, mounts } = input.value
        const script = programScript({ cwd, env, argv: inside.announced([]), limit: dataLimit(limits) })
        const argv = wrap(inside.wrap(scriptReader(script)))
        const started = await startContainer(client, { ...input.value, argv })
        if (!started.ok) return started
        started.value.stdin?.write(script)
        const names = { program: options.program, image: image.name }
        const failed = (words: string) => containerFailure(names, words)
        return runningProgram({ sandbox: started.value, writable: writableFolders(mounts), failure: failed }, signal)
      }),
  }
  const findRegistries = lazyRegistries(sandbox, options.packageManagers ?? { env: {} })
  return sandbox
}

function withPaths(paths: readonly string[], mounts: readonly Mount[]): readonly Mount[] {
  const named = mounts.map((mount) => (mount.access === 'overlay' ? mount.at : (mount.at ?? mount.path)))
  const missing = paths.filter((path) => !named.includes(path))
  return [...missing.map((path): Mount => ({ path, access: 'read' })), ...mounts]
}

async function startRunner(client: ContainerClient, input: RunnerOptions) {
  // A shell as pid 1 reaps orphaned processes.
  const argv = ['/usr/bin/env', '-i', '/bin/sh', '-c', '"$@"; exit $?', 'sh', ...toolbox.runner] as const
  return startContainer(client, { ...input, mounts: [...input.mounts, ...(await toolboxMounts())], argv })
}

interface Ready {
  readonly image: Image
  readonly rootless: boolean
  readonly seccomp: string | null
}

async function makeReady(client: ContainerClient, choice: ImageChoice): Promise<SandboxResult<Ready>> {
  const rootless = await isRootless(client)
  if (!rootless.ok) return rootless
  const image = await findImage(client, choice)
  if (!image.ok) return image
  await removeLeftovers(client)
  const seccomp = await seccompProfile(client)
  return { ok: true, value: { image: image.value, rootless: rootless.value, seccomp } }
}

async function isRootless(client: ContainerClient): Promise<SandboxResult<boolean>> {
  const { program } = client
  if (program === 'podman') return { ok: true, value: process.getuid?.() !== 0 }
  const { ok, output, words } = await client.run(['info', '--format', '{{json .SecurityOptions}}'])
  if (!ok) return { ok: false, error: containerFailure({ program, image: null }, words) }
  return { ok: true, value: output.includes('name=rootless') }
}

/** Input that the command line or the shell of a container cannot represent. */
function unfitness({ env, cwd, scratch = [] }: SandboxSpec): InfraError | null {
  const name = Object.keys(env).find((key) => !isVariable(key))
  if (name !== undefined) return failure('container_creation', `A shell has no variable ${JSON.stringify(name)}`)
  if ([cwd, ...Object.values(env), ...scratch].some((value) => value.includes('\0'))) {
    return failure('container_creation', 'A value has a NUL in it')
  }
  const path = scratch.find((folder) => folder.includes(':'))
  return path === undefined ? null : failure('container_creation', `A fresh folder cannot have a colon in it: ${path}`)
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}

interface EnvironmentInput {
  readonly spec: SandboxSpec
  readonly mounts: readonly ResolvedMount[]
  readonly image: Image
  readonly hostPath: string | undefined
}

/**
 * The spec's variables override the image's, which override defaults. In PATH, programs in mounts
 * that are read-only inside come first.
 */
function environment({ spec, mounts, image, hostPath = '' }: EnvironmentInput): Readonly<Record<string, string>> {
  const readable = mounts.filter(({ access }) => access === 'read').map(({ at }) => at)
  const brought = Object.fromEntries(Object.entries(image.env).filter(([name]) => isVariable(name)))
  const path = [...entriesUnder(hostPath, readable), ...(image.env.PATH ?? plainPath).split(':')]
  return {
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    ...brought,
    PATH: [...new Set(path)].join(':'),
    HOME: '/home/agent',
    ...spec.env,
  }
}

/**
 * Shares one attempt between callers; a failed one is repeated, since the missing part may have
 * appeared.
 */
function onceItWorks<T>(make: () => Promise<SandboxResult<T>>): () => Promise<SandboxResult<T>> {
  let making: Promise<SandboxResult<T>> | null = null
  return () => {
    making ??= make().then((result) => {
      if (!result.ok) making = null
      return result
    })
    return making
  }
}

/** Stops waiting; the work continues for the other callers. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
