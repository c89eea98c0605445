import type { CommandExit, Sandbox, SandboxCommand, SandboxResult, SandboxSpec } from '../../../ports/sandbox.ts'
import type { RunningProgram } from '../../../ports/sandbox-program.ts'
import type { Egress } from './open-egress.ts'
import type { FindRegistries, PackageManagers } from './registries.ts'

/** Runs the command in a sandbox without a network, after `wrap` has wrapped its command line. */
export type RunOnce = (spec: SandboxSpec, wrap: Egress['wrap']) => Promise<SandboxResult<CommandExit>>

const direct = 'what leaves a sandbox goes straight to the hosts, not through that proxy'
const noWrap: Egress['wrap'] = (argv) => argv

/** Loads its code at the first call, since most sandboxes never need it. */
export function lazyRegistries(sandbox: Pick<Sandbox, 'exec'>, machine: PackageManagers): FindRegistries {
  let find: FindRegistries | undefined
  return async (...asked) => {
    find ??= (await import('./registries.ts')).createFindRegistries(sandbox, machine)
    return find(...asked)
  }
}

/**
 * Gives the command access to the hosts of `spec.egress` while it runs, and appends the refused
 * requests to its output.
 */
export async function withEgress(
  spec: SandboxSpec,
  command: SandboxCommand,
  findRegistries: FindRegistries,
  run: RunOnce,
): Promise<SandboxResult<CommandExit>> {
  if ((spec.egress ?? []).length === 0) return run(closed(spec), noWrap)
  const opened = await openFor(spec, findRegistries)
  if (!opened.ok) return opened
  const { wrap, refused, unreached, close, hostProxy } = opened.value
  try {
    const done = await run(opened.value.spec, wrap)
    const failed = done.ok && done.value.exitCode !== 0
    const notices = failed && hostProxy !== null ? [`${hostProxy} is set on this machine, but ${direct}`] : []
    for (const line of [...refused(), ...notices]) command.onOutput?.(Buffer.from(`[drydock] network: ${line}\n`))
    const hosts = unreached()
    return failed && hosts.length > 0 ? { ok: true, value: { ...done.value, unreached: hosts } } : done
  } finally {
    await close()
  }
}

/** Gives the program access to the hosts of `spec.egress` while it runs. */
export async function startWithEgress(
  spec: SandboxSpec,
  findRegistries: FindRegistries,
  start: (spec: SandboxSpec, wrap: Egress['wrap']) => Promise<SandboxResult<RunningProgram>>,
): Promise<SandboxResult<RunningProgram>> {
  if ((spec.egress ?? []).length === 0) return start(closed(spec), noWrap)
  const opened = await openFor(spec, findRegistries)
  if (!opened.ok) return opened
  const { wrap, close } = opened.value
  const started = await start(opened.value.spec, wrap).catch(async (error: unknown) => {
    await close()
    throw error
  })
  if (!started.ok) {
    await close()
    return started
  }
  const { value: program } = started
  const ended = program.ended.finally(close)
  return {
    ok: true,
    value: { ...program, ended, close: async () => void (await Promise.all([program.close(), ended])) },
  }
}

interface EgressSession extends Egress {
  /** The spec with the mounts and variables for the access. */
  readonly spec: SandboxSpec
  readonly hostProxy: string | null
}

async function openFor(spec: SandboxSpec, findRegistries: FindRegistries): Promise<SandboxResult<EgressSession>> {
  const { egress: hosts = [] } = spec
  const registries = await findRegistries(spec.mounts, { ask: hosts.includes('registry') })
  if (!registries.ok) return registries
  const { openEgress } = await import('./open-egress.ts')
  const opened = await openEgress({ hosts: hosts.filter((host) => host !== 'registry'), registries: registries.value })
  if (!opened.ok) return opened
  const { mounts, env } = opened.value
  const open = { ...closed(spec), mounts: [...spec.mounts, ...mounts], env: { ...spec.env, ...env } }
  return { ok: true, value: { ...opened.value, spec: open, hostProxy: registries.value.hostProxy } }
}

function closed({ egress: _, ...spec }: SandboxSpec): SandboxSpec {
  return spec
}
