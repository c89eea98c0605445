import type { Sandbox, SandboxResult, SandboxSpec } from '../../ports/sandbox.ts'
import { environmentInside } from './environment.ts'
import { type ExecInput, execOnce } from './exec.ts'
import { resolveMounts } from './mounts.ts'
import { probeSandbox } from './probe.ts'
import { openSession } from './session.ts'

export interface BubblewrapOptions {
  /** PATH of the host: bwrap is found on it, and commands get what of it exists inside. */
  readonly hostPath: string
  /** Program to start; `bwrap` without it. */
  readonly bwrap?: string
}

/** Linux namespaces by way of bubblewrap: no network, nothing of the host but its /usr and the mounts. */
export function createBubblewrap({ hostPath, bwrap = 'bwrap' }: BubblewrapOptions): Sandbox {
  async function prepared(spec: SandboxSpec): Promise<SandboxResult<ExecInput>> {
    const mounts = await resolveMounts(spec.mounts)
    if (!mounts.ok) return mounts
    const env = environmentInside({ env: spec.env, mounts: mounts.value, hostPath })
    return { ok: true, value: { bwrap, hostPath, mounts: mounts.value, cwd: spec.cwd, env, limits: spec.limits } }
  }

  const sandbox: Sandbox = {
    name: 'bubblewrap',
    probe: () => probeSandbox(sandbox),
    async exec(spec, command, signal) {
      const input = await prepared(spec)
      return input.ok ? execOnce(input.value, command, signal) : input
    },
    async open(spec, signal) {
      const input = await prepared(spec)
      return input.ok ? openSession(input.value, signal) : input
    },
  }
  return sandbox
}
