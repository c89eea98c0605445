import { chmod, mkdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ResolvedMount, ResolvedOverlay } from './mounts.ts'

/**
 * Mounts each overlay in a new mount namespace, then becomes the program. Sources are first bound
 * to plain names, since overlay options cannot express every path. Arguments: for each overlay its
 * view, the folder and name of its upper, the number of lowers, and the lowers; then `--` and the
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

/** The host path at which the overlay is visible, only to the process in the namespace. */
export function mergedView({ upper }: ResolvedOverlay): string {
  return join(viewOf(upper), 'merged')
}

/**
 * The command line that starts `argv` in a new mount namespace with the overlays mounted. It is
 * also used without overlays: bwrap's own mounts receive mounts from the host, so that anything
 * that the host later mounts below a visible folder would appear inside; the mounts of the new
 * namespace are private.
 */
export function inOwnNamespace(overlays: readonly ResolvedOverlay[], argv: readonly string[]): readonly string[] {
  if (overlays.length === 0) {
    const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
    return ['unshare', ...user, '--mount', '--', ...argv]
  }
  const described = overlays.flatMap(({ upper, lower }) => [
    viewOf(upper),
    dirname(upper),
    basename(upper),
    `${lower.length}`,
    ...lower,
  ])
  const namespace = ['unshare', '--user', '--map-root-user', '--mount', '--']
  return [...namespace, '/bin/sh', '-c', script, 'sh', ...described, '--', ...argv]
}

/** Makes the folders for the mounts; `upper` keeps its content. */
export async function makeOverlayFolders(overlays: readonly ResolvedOverlay[]): Promise<void> {
  for (const { upper } of overlays) {
    for (const folder of [upper, workOf(upper), viewOf(upper)]) await mkdir(folder, { recursive: true })
  }
}

/** Removes the folders except `upper`, once nothing is mounted. */
export async function removeOverlayFolders(overlays: readonly ResolvedOverlay[]): Promise<void> {
  for (const { upper } of overlays) {
    const left = join(workOf(upper), 'work')
    // The kernel leaves the folder without permissions. If a daemon mounted it, it belongs to root
    // and is empty by now.
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
