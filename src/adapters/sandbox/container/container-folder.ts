import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const hosts = '127.0.0.1 localhost drydock\n::1 localhost ip6-localhost ip6-loopback\n'

/** Where files for one container lie on the host. */
export function containerFolder(name: string): string {
  return join(tmpdir(), name)
}

/** Makes it, for its owner only, and gives the path of the file that becomes `/etc/hosts`: podman would show that of the host. */
export async function makeContainerFolder(name: string): Promise<{ readonly hosts: string }> {
  const folder = containerFolder(name)
  await mkdir(folder, { mode: 0o700 })
  const path = join(folder, 'hosts')
  await writeFile(path, hosts, { mode: 0o644 })
  return { hosts: path }
}
