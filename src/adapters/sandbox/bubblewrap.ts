import { arch, platform } from 'node:os'
import { join } from 'node:path'
import type { Sandbox, SandboxResult, SandboxSpec } from '../../ports/sandbox.ts'
import type { PackageManagers } from './egress/registries.ts'
import { lazyRegistries, startWithEgress, withEgress } from './egress/with-egress.ts'
import { environmentInside } from './environment.ts'
import { execOnce } from './exec.ts'
import { hostPrograms } from './host-programs.ts'
import { limitArguments } from './limit-arguments.ts'
import { resolveMounts } from './mounts.ts'
import { makeOverlayFolders, overlaysIn } from './overlay.ts'
import { probeSandbox } from './probe.ts'
import { rememberedProbe } from './remembered-probe.ts'
import { programInside, runningProgram } from './running-program.ts'
import { openSession } from './session.ts'
import { type StartedSandbox, type StartInput, startSandbox } from './start.ts'
import { startFailure } from './start-failure.ts'
import { withServices } from './step-services/with-services.ts'
import { withStartableServices } from './step-services/with-startable-services.ts'
import { toolbox, toolboxMounts } from './toolbox.ts'
import { probeTracer, type Tracer, whyNot } from './tracer.ts'
import { writableFolders } from './watch-space.ts'

export interface BubblewrapOptions {
  /**
   * PATH of the host. bwrap is searched in it, and commands get those of its folders that exist
   * inside.
   */
  readonly hostPath: string
  /** The program to start; `bwrap` if left out. */
  readonly bwrap?: string
  /** Used for `egress`; if left out, `registry` means the package managers' default registries. */
  readonly packageManagers?: PackageManagers
  /** Drydock's folder in the user's cache; if left out, results are not cached. */
  readonly cache?: string
}

type RunnerOptions = Omit<StartInput, 'argv' | 'stdin' | 'stdout'>

/**
 * Linux namespaces made with bubblewrap: no network, and no files of the host except its /usr and
 * the mounts.
 */
export function createBubblewrap(options: BubblewrapOptions): Sandbox {
  const { hostPath, bwrap = 'bwrap', packageManagers = { env: {} }, cache } = options

  let tracer: Promise<Tracer> | null = null

  async function prepared(spec: SandboxSpec): Promise<SandboxResult<RunnerOptions>> {
    const mounts = await resolveMounts(spec.mounts)
    if (!mounts.ok) return mounts
    try {
      await makeOverlayFolders(overlaysIn(mounts.value))
    } catch (error) {
      return { ok: false, error: startFailure(String(error)) }
    }
    const { cwd, limits, scratch = [] } = spec
    const env = environmentInside({ env: spec.env, mounts: mounts.value, hostPath })
    const isOrdinary = (spec.services ?? []).length > 0
    return { ok: true, value: { bwrap, hostPath, mounts: mounts.value, scratch, cwd, env, limits, isOrdinary } }
  }

  const sandbox: Sandbox = {
    name: 'bubblewrap',
    platform: { os: platform(), arch: arch() },
    image: async () => ({ ok: true, value: null }),
    async programs(readOnlyPaths) {
      const mounts = await resolveMounts(readOnlyPaths.map((path) => ({ path, access: 'read' })))
      const { PATH = '' } = environmentInside({ env: {}, mounts: mounts.ok ? mounts.value : [], hostPath })
      return hostPrograms(PATH, readOnlyPaths)
    },
    probe({ remembered } = { remembered: false }) {
      const make = () => probeSandbox(sandbox)
      if (!remembered || cache === undefined) return make()
      const memory = { file: join(cache, 'sandbox-probe'), programs: [bwrap, 'unshare', 'prlimit'], hostPath }
      return rememberedProbe(memory, make)
    },
    async whyNotTraced({ remembered } = { remembered: false }) {
      const make = () => probeTracer(sandbox)
      if (!remembered) return whyNot(await make())
      const programs = [bwrap, 'unshare', 'prlimit', 'setpriv', 'strace']
      tracer ??=
        cache === undefined ? make() : rememberedProbe({ file: join(cache, 'tracing-probe'), programs, hostPath }, make)
      return whyNot(await tracer)
    },
    exec: (asked, wanted, given) =>
      withServices(asked, wanted, given, (spec, command, signal) =>
        withEgress(spec, command, findRegistries, async (open, wrap) => {
          const input = await prepared(open)
          if (!input.ok) return input
          const isOrdinary = (wanted.services ?? []).length > 0
          const trace = wanted.trace && { ...wanted.trace, execs: isOrdinary ? 2 : 1 }
          return execOnce({ ...input.value, isOrdinary, wrap, ...(trace && { trace }) }, command, signal)
        }),
      ),
    async open(spec, signal) {
      if (spec.egress !== undefined) throw new Error('A session has no network')
      const input = await prepared(withStartableServices(spec))
      if (!input.ok) return input
      const { cwd, env, limits } = input.value
      const shell = [...limitArguments(limits), '/bin/sh', '-c']
      const start = () => startRunner(input.value)
      const writable = writableFolders(input.value.mounts)
      return openSession({ start, cwd, env, shell, writable, failure: startFailure }, signal)
    },
    async start(asked, program, signal) {
      signal.throwIfAborted()
      return startWithEgress(asked, findRegistries, async (spec, wrap) => {
        const inside = programInside(program)
        const input = await prepared(withStartableServices({ ...spec, mounts: [...spec.mounts, ...inside.mounts] }))
        if (!input.ok) return input
        const argv = wrap(inside.wrap(inside.announced(limitArguments(spec.limits))))
        const started = startSandbox({ ...input.value, argv, stdin: 'pipe', stdout: 'pipe' })
        if (!started.ok) return started
        const writable = writableFolders(input.value.mounts)
        return runningProgram({ sandbox: started.value, writable, failure: startFailure }, signal)
      })
    },
  }
  const findRegistries = lazyRegistries(sandbox, packageManagers)
  return sandbox
}

async function startRunner(input: RunnerOptions): Promise<SandboxResult<StartedSandbox>> {
  return startSandbox({
    ...input,
    env: {},
    mounts: [...input.mounts, ...(await toolboxMounts())],
    argv: toolbox.runner,
    stdin: 'pipe',
    stdout: 'pipe',
  })
}
