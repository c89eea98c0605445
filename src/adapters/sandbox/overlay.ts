import { chmod, mkdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ResolvedMount, ResolvedOverlay } from './mounts.ts'

/**
 * Mounts each overlay in a mount namespace of its own, then becomes the program. Sources are bound
 * to plain names first: the options of an overlay cannot take every path. Arguments: for each
 * overlay its view, the folder and name of its upper, the number of lowers, these; `--`; the
 * program.
 */
const script = `set -eu
while [ "$1" != -- ]; do
  view=$1 folder=$2 name=$3 left=$4
  shift 4
  mount -t tmpfs -o size=64k,mode=700 tmpfs "$view"
  cd -- "$view"
  mkdir upper merged
  mount --bind -- "$folder" upper
  lower=
  while [ "$left" -gt 0 ]; do
    mkdir "lower$left"
    mount --bind -- "$1" "lower$left"
    lower="$lower\${lower:+:}lower$left"
    left=$((left - 1))
    shift
  done
  mount -t overlay overlay -o "lowerdir=$lower,upperdir=upper/$name,workdir=upper/$name.work,userxattr" merged
done
shift
cd /
exec "$@"`

export function overlaysIn(mounts: readonly ResolvedMount[]): readonly ResolvedOverlay[] {
  return mounts.filter((mount) => mount.access === 'overlay')
}

/** Where an overlay is seen on the host, by the process in the namespace only. */
export function mergedView({ upper }: ResolvedOverlay): string {
  return join(viewOf(upper), 'merged')
}

/**
 * The command line that starts `argv` in a mount namespace of its own, where the overlays are
 * mounted. Also without any: the mounts of bwrap itself follow the host's, so that what the host
 * mounts later below a folder that is shown would be seen, too; those of this namespace are
 * private.
 */
export function inOwnNamespace(overlays: readonly ResolvedOverlay[], argv: readonly string[]): readonly string[] {
  if (overlays.length === 0) {
    const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
    return ['unshare', ...user, '--mount', '--', ...argv]
  }
  const described = overlays.flatMap(({ upper, lower }) => [
    ...[viewOf(upper), dirname(upper), basename(upper)],
    ...[`${lower.length}`, ...lower],
  ])
  const namespace = ['unshare', '--user', '--map-root-user', '--mount', '--']
  return [...namespace, '/bin/sh', '-c', script, 'sh', ...described, '--', ...argv]
}

/** Makes what the mounts need; `upper` keeps what it has. */
export async function makeOverlayFolders(overlays: readonly ResolvedOverlay[]): Promise<void> {
  for (const { upper } of overlays) {
    for (const folder of [upper, workOf(upper), viewOf(upper)]) await mkdir(folder, { recursive: true })
  }
}

/** Removes them again, but for `upper`, when nothing is mounted any more. */
export async function removeOverlayFolders(overlays: readonly ResolvedOverlay[]): Promise<void> {
  for (const { upper } of overlays) {
    const left = join(workOf(upper), 'work')
    // The kernel leaves it without permissions; where a daemon has mounted it is root's, and empty
    // by now.
    await chmod(left, 0o700)
      .catch(() => rmdir(left))
      .catch(() => undefined)
    for (const folder of [workOf(upper), viewOf(upper)]) await rm(folder, { recursive: true, force: true })
  }
}

export function workOf(upper: string): string {
  return `${upper}.work`
}

function viewOf(upper: string): string {
  return `${upper}.view`
}
