import type { SandboxLimits } from '../../../ports/sandbox-limits.ts'
import { freshFolders } from '../arguments.ts'
import { firstToEnd, mostProcesses } from '../control-group.ts'
import { resourceLimits } from '../limit-arguments.ts'
import type { ResolvedPlainMount } from '../mounts.ts'
import type { Image } from './image.ts'
import { bindArguments } from './mount-arguments.ts'
import { ownerLabel, ownerName } from './owner.ts'

export interface RunInput {
  readonly program: 'docker' | 'podman'
  /** Whether the program, or its daemon, works without root. */
  readonly rootless: boolean
  readonly name: string
  readonly image: Image
  readonly mounts: readonly ResolvedPlainMount[]
  /** What `--mount` takes, for mounts of other kinds. */
  readonly volumes: readonly string[]
  readonly scratch: readonly string[]
  readonly seccompFile: string | null
  readonly limits: SandboxLimits
  /** Program and arguments, as seen inside. */
  readonly argv: readonly string[]
}

/** `run` with everything that makes a container a sandbox. */
export function runArguments(input: RunInput): string[] {
  const { program, name, image, argv, limits } = input
  const [entrypoint = '', ...rest] = argv
  return [
    ...['run', '--interactive', '--rm', '--name', name, '--label', `${ownerLabel}=${ownerName()}`, '--pull', 'never'],
    // The client is no terminal's, and logs would be a second copy of the output, on disk.
    ...['--sig-proxy=false', '--log-driver', 'none', '--no-healthcheck'],
    ...['--network', 'none', '--hostname', 'drydock', '--ipc', 'private', '--read-only', '--cap-drop', 'ALL'],
    // Labels of SELinux would have to be changed on the user's own files.
    ...['--security-opt', 'no-new-privileges', '--security-opt', 'label=disable'],
    ...(program === 'podman' ? ['--read-only-tmpfs=false', '--http-proxy=false', '--image-volume', 'ignore'] : []),
    ...(input.seccompFile === null ? [] : ['--security-opt', `seccomp=${input.seccompFile}`]),
    ...userOptions(input),
    ...limitOptions(limits),
    ...['--shm-size', `${limits.tmpfsBytes}`],
    ...freshPaths(input).flatMap((path) => ['--tmpfs', `${path}:${freshOptions(input)}`]),
    ...bindArguments(input.mounts),
    ...input.volumes.flatMap((volume) => ['--mount', volume]),
    ...['--workdir', '/', '--entrypoint', entrypoint, image.id, ...rest],
  ]
}

function limitOptions(limits: SandboxLimits): string[] {
  const memory = `${limits.memoryBytes}`
  const { data: _, ...others } = resourceLimits(limits)
  return [
    ...['--memory', memory, '--memory-swap', memory, '--pids-limit', `${mostProcesses}`],
    ...['--oom-score-adj', `${firstToEnd}`],
    ...Object.entries(others).flatMap(([name, value]) => ['--ulimit', `${name}=${value}:${value}`]),
  ]
}

/**
 * Bounds the memory of each process that follows in a shell. Not of the whole container: Node
 * reserves more than it uses.
 */
export function dataLimit(limits: SandboxLimits): string {
  return `ulimit -d ${Math.floor(resourceLimits(limits).data / 1024)}`
}

interface Ids {
  readonly uid: number
  readonly gid: number
}

/**
 * What is written into mounts must belong to the caller, who is root inside where docker works
 * without root on the outside.
 */
function idsInside({ program, rootless }: RunInput): Ids {
  if (program === 'docker' && rootless) return { uid: 0, gid: 0 }
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
}

function userOptions(input: RunInput): string[] {
  const { uid, gid } = idsInside(input)
  return [
    ...(input.program === 'podman' && input.rootless ? ['--userns', 'keep-id'] : []),
    ...['--user', `${uid}:${gid}`],
  ]
}

/**
 * Without the volumes of the image, which would lie on the host's disk. `/dev/shm` has an option of
 * its own.
 */
function freshPaths({ image, scratch, mounts }: RunInput): readonly string[] {
  const taken = mounts.map(({ at }) => at)
  const paths = [...freshFolders, ...image.volumes, ...scratch].filter((path) => path !== '/dev/shm')
  return [...new Set(paths)].filter((path) => !taken.includes(path))
}

/** With an owner: a folder that the image has keeps the permissions it has there. */
function freshOptions(input: RunInput): string {
  const { uid, gid } = idsInside(input)
  const owner = input.program === 'podman' ? 'notmpcopyup,U' : `uid=${uid},gid=${gid}`
  return `rw,exec,nosuid,nodev,size=${input.limits.tmpfsBytes},mode=1777,${owner}`
}
