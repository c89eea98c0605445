import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBubblewrap } from '../../src/adapters/sandbox/bubblewrap.ts'
import {
  type ContainerOptions,
  createContainerSandbox,
} from '../../src/adapters/sandbox/container/container-sandbox.ts'
import type { Sandbox } from '../../src/ports/sandbox.ts'

const hostEnv = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/' }
const image = 'drydock-test'

export interface SandboxAdapter {
  readonly name: Sandbox['name']
  create(): Sandbox
  /** The adapter without its program installed. */
  createMissing(): Sandbox
}

export const bubblewrap: SandboxAdapter = {
  name: 'bubblewrap',
  create: () => createBubblewrap({ hostPath: hostEnv.PATH }),
  createMissing: () => createBubblewrap({ hostPath: hostEnv.PATH, bwrap: 'no-such-bwrap' }),
}

/** Only for long tests, since each start takes a second of processor time. */
export const inPodman: SandboxAdapter = {
  name: 'podman',
  create() {
    importImage()
    return createContainerSandbox(podmanOptions)
  },
  createMissing: () => createContainerSandbox({ ...podmanOptions, hostEnv: { PATH: '/no/such/folder' } }),
}

/**
 * Options for Debian's podman without its recommended packages; the image is empty, so the host's
 * /usr is shown.
 */
export const podmanOptions: ContainerOptions = {
  program: 'podman',
  image,
  globalOptions: ['--runtime', '/usr/sbin/runc', '--cgroup-manager=cgroupfs'],
  hostEnv,
  readOnlyPaths: ['/usr'],
}

/** Runs podman itself; returns its output. */
export function podman(...args: readonly string[]): string {
  return execFileSync('podman', [...podmanOptions.globalOptions, ...args], { encoding: 'utf8' }).trim()
}

/** Creates the image without a registry: links into /usr and the names of two users. */
export function importImage(): void {
  if (spawnSync('podman', ['image', 'exists', image]).status === 0) return
  const root = mkdtempSync(join(tmpdir(), 'drydock-image-'))
  try {
    for (const folder of ['usr', 'etc', 'proc', 'sys', 'dev', 'run', 'tmp']) mkdirSync(join(root, folder))
    for (const folder of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, join(root, folder))
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n')
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n')
    podman('import', '--quiet', tarOf(root), image)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function tarOf(root: string): string {
  const file = join(root, 'image.tar')
  execFileSync('tar', ['-C', root, '--exclude=./image.tar', '--owner=0', '--group=0', '-cf', file, '.'])
  return file
}
