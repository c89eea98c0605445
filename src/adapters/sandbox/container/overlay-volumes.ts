import { join } from 'node:path'
import { filledLines } from '../../../domain/text.ts'
import type { ResolvedOverlay } from '../mounts.ts'
import { workOf } from '../overlay.ts'
import type { ClientEnd, ContainerClient } from './client.ts'
import { bindArguments, fields } from './mount-arguments.ts'
import { ownerLabel, ownerName } from './owner.ts'
import type { RunInput } from './run-arguments.ts'

/**
 * The `--mount` options for overlays: docker creates such volumes on the fly, podman needs them
 * created before, with a name.
 */
export async function overlayVolumes(
  client: ContainerClient,
  name: string,
  overlays: readonly ResolvedOverlay[],
): Promise<
  { readonly ok: true; readonly mounts: readonly string[] } | { readonly ok: false; readonly end: ClientEnd }
> {
  const mounts: string[] = []
  for (const [index, overlay] of overlays.entries()) {
    const access = overlay.isReadOnly ? ['ro'] : []
    if (client.program === 'docker') {
      const driver = ['volume-driver=local', 'volume-opt=type=overlay', 'volume-opt=device=overlay']
      mounts.push(
        fields([
          'type=volume',
          `target=${overlay.at}`,
          ...driver,
          `volume-opt=o=${overlayOptions(overlay)}`,
          ...access,
        ]),
      )
      continue
    }
    const volume = `${name}-${index}`
    const options = ['type=overlay', 'device=overlay', `o=${overlayOptions(overlay)}`]
    const end = await client.run(['volume', 'create', ...options.flatMap((option) => ['--opt', option]), volume])
    if (!end.ok) return { ok: false, end }
    mounts.push(fields(['type=volume', `source=${volume}`, `target=${overlay.at}`, ...access]))
  }
  return { ok: true, mounts }
}

/** Removes the overlay volumes of a container that is gone. The content of the overlays stays. */
export async function removeOverlayVolumes(client: ContainerClient, name: string): Promise<void> {
  if (client.program === 'docker') return
  const { output } = await client.run(['volume', 'ls', '--quiet', '--filter', `name=^${name}-`])
  for (const volume of filledLines(output)) {
    await client.run(['volume', 'rm', '--force', volume])
  }
}

/**
 * If docker's daemon has mounted an overlay, the kernel's files in its work folder belong to root,
 * so they are removed as root in a container.
 */
export async function emptyWorkFolders(
  client: ContainerClient,
  { overlays, mounts, image }: { readonly overlays: readonly ResolvedOverlay[] } & Pick<RunInput, 'mounts' | 'image'>,
): Promise<void> {
  if (client.program !== 'docker' || process.getuid?.() === 0) return
  const readable = mounts.filter(({ access }) => access === 'read')
  const folders = overlays.map((overlay, index) => ({
    source: join(workOf(overlay.upper), 'work'),
    at: `/tmp/${index}`,
    access: 'write' as const,
  }))
  await client.run([
    'run',
    '--rm',
    '--label',
    `${ownerLabel}=${ownerName()}`,
    '--pull',
    'never',
    '--network',
    'none',
    '--read-only',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    '--user',
    '0:0',
    '--tmpfs',
    '/tmp',
    ...bindArguments([...readable, ...folders]),
    '--entrypoint',
    '/bin/sh',
    image.id,
    '-c',
    'chmod 700 /tmp/*; rm -rf /tmp/*/*',
  ])
}

/**
 * Deleted files are marked the way that unprivileged overlays mark them, so that both backends can
 * read each other's overlays.
 */
function overlayOptions({ lower, upper }: ResolvedOverlay): string {
  return [
    `lowerdir=${lower.map((path) => escaped(path, /[\\,:]/g)).join(':')}`,
    `upperdir=${escaped(upper, /[\\,]/g)}`,
    `workdir=${escaped(workOf(upper), /[\\,]/g)}`,
    'userxattr',
  ].join(',')
}

function escaped(path: string, special: RegExp): string {
  return path.replace(special, '\\$&')
}
