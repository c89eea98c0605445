import type { CommandExit, Sandbox, SandboxCommand, SandboxResult, SandboxSpec } from '../../../ports/sandbox.ts'
import type { Egress } from './open-egress.ts'
import type { FindRegistries, PackageManagers } from './registries.ts'

/** Runs the command in a sandbox without a network; its command line is what `wrap` makes of it. */
export type RunOnce = (spec: SandboxSpec, wrap: Egress['wrap']) => Promise<SandboxResult<CommandExit>>

const direct = 'what leaves a sandbox goes straight to the hosts, not through that proxy'
const noWrap: Egress['wrap'] = (argv) => argv

/** Loads what it takes when it is first asked: most sandboxes never are. */
export function lazyRegistries(sandbox: Pick<Sandbox, 'exec'>, machine: PackageManagers): FindRegistries {
  let find: FindRegistries | undefined
  return async (...asked) => {
    find ??= (await import('./registries.ts')).createFindRegistries(sandbox, machine)
    return find(...asked)
  }
}

/**
 * Opens the way to what `spec.egress` names for as long as the command runs, whose output ends with
 * what was not let through.
 */
export async function withEgress(
  spec: SandboxSpec,
  command: SandboxCommand,
  findRegistries: FindRegistries,
  run: RunOnce,
): Promise<SandboxResult<CommandExit>> {
  const { egress: hosts = [], ...closed } = spec
  if (hosts.length === 0) return run(closed, noWrap)
  const registries = await findRegistries(spec.mounts, { ask: hosts.includes('registry') })
  if (!registries.ok) return registries
  const { openEgress } = await import('./open-egress.ts')
  const opened = await openEgress({ hosts: hosts.filter((host) => host !== 'registry'), registries: registries.value })
  if (!opened.ok) return opened
  const { mounts, env, wrap, refused, close } = opened.value
  try {
    const open = { ...closed, mounts: [...closed.mounts, ...mounts], env: { ...closed.env, ...env } }
    const done = await run(open, wrap)
    const failed = done.ok && done.value.exitCode !== 0
    const { hostProxy } = registries.value
    const notices = failed && hostProxy !== null ? [`${hostProxy} is set on this machine, but ${direct}`] : []
    for (const line of [...refused(), ...notices]) command.onOutput?.(Buffer.from(`[drydock] network: ${line}\n`))
    return done
  } finally {
    await close()
  }
}
