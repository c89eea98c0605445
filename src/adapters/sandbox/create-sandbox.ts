import type { Sandbox } from '../../ports/sandbox.ts'
import { createBubblewrap } from './bubblewrap.ts'
import type { PackageManagers } from './egress/registries.ts'

export interface SandboxChoice {
  readonly backend: Sandbox['name']
  /**
   * Only for containers: the image, or the file to build it from, and global options of docker or
   * podman.
   */
  readonly image?: string
  readonly dockerfile?: string
  readonly globalOptions: readonly string[]
  readonly readOnlyPaths: readonly string[]
  /** Variables of the host that docker and podman need; bubblewrap only takes PATH. */
  readonly hostEnv: Readonly<Record<string, string>> & { readonly PATH: string }
  readonly packageManagers: PackageManagers
  /** Drydock's folder in the user's cache. */
  readonly cache: string
}

/** The sandbox of the user's choice. If it does not work, no other one is used in its place. */
export async function createSandbox({ backend, cache, ...choice }: SandboxChoice): Promise<Sandbox> {
  const { hostEnv, packageManagers } = choice
  if (backend === 'bubblewrap') return createBubblewrap({ hostPath: hostEnv.PATH, packageManagers, cache })
  const { createContainerSandbox } = await import('./container/container-sandbox.ts')
  return createContainerSandbox({ program: backend, ...choice })
}
