import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const hosts = '127.0.0.1 localhost drydock\n::1 localhost ip6-localhost ip6-loopback\n'

/** The host folder with the files for one container. */
export function containerFolder(name: string): string {
  return join(tmpdir(), name)
}

/**
 * Paths on the host. `hosts` becomes `/etc/hosts`, where podman would otherwise show the host's.
 */
export interface ContainerFiles {
  readonly hosts: string
  readonly seccomp: string | null
}

/** Makes the folder, accessible only to its owner. */
export async function makeContainerFolder(name: string, seccomp: string | null): Promise<ContainerFiles> {
  const folder = containerFolder(name)
  await mkdir(folder, { mode: 0o700 })
  const files = { hosts: join(folder, 'hosts'), seccomp: seccomp === null ? null : join(folder, 'seccomp.json') }
  await writeFile(files.hosts, hosts, { mode: 0o644 })
  if (seccomp !== null && files.seccomp !== null) await writeFile(files.seccomp, seccomp)
  return files
}
