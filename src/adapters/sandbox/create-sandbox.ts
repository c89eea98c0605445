import type { Sandbox } from '../../ports/sandbox.ts'
import { createBubblewrap } from './bubblewrap.ts'
import { createContainerSandbox } from './container/container-sandbox.ts'

export interface SandboxChoice {
  readonly backend: Sandbox['name']
  readonly image?: string
  readonly dockerfile?: string
  readonly globalOptions: readonly string[]
  /** Variables of the host that docker and podman need; bubblewrap takes PATH only. */
  readonly hostEnv: Readonly<Record<string, string>> & { readonly PATH: string }
}

/** The sandbox that was chosen. Where it does not work there is none: nothing else ever takes its place. */
export function createSandbox({ backend, hostEnv, ...choice }: SandboxChoice): Sandbox {
  if (backend === 'bubblewrap') return createBubblewrap({ hostPath: hostEnv.PATH })
  return createContainerSandbox({ program: backend, hostEnv, ...choice })
}
