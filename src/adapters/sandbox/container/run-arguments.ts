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
  /** True if the program or its daemon runs without root. */
  readonly rootless: boolean
  readonly name: string
  readonly image: Image
  readonly mounts: readonly ResolvedPlainMount[]
  /** The `--mount` options for other kinds of mounts. */
  readonly volumes: readonly string[]
  readonly scratch: readonly string[]
  readonly seccompFile: string | null
  readonly limits: SandboxLimits
  /** Program and arguments inside the container. */
  readonly argv: readonly string[]
}

/** The arguments of `run` that make a container a sandbox. */
export function runArguments(input: RunInput): string[] {
  const { program, name, image, argv, limits } = input
  const [entrypoint = '', ...rest] = argv
  return [
    'run',
    '--interactive',
    '--rm',
    '--name',
    name,
    '--label',
    `${ownerLabel}=${ownerName()}`,
    '--pull',
    'never',
    // The client has no terminal, and logs would store a second copy of the output on disk.
    '--sig-proxy=false',
    '--log-driver',
    'none',
    '--no-healthcheck',
    '--network',
    'none',
    '--hostname',
    'drydock',
    '--ipc',
    'private',
    '--read-only',
    '--cap-drop',
    'ALL',
    // SELinux labels would have to be changed on the user's own files.
    '--security-opt',
    'no-new-privileges',
    '--security-opt',
    'label=disable',
    ...(program === 'podman' ? ['--read-only-tmpfs=false', '--http-proxy=false', '--image-volume', 'ignore'] : []),
    ...(input.seccompFile === null ? [] : ['--security-opt', `seccomp=${input.seccompFile}`]),
    ...userOptions(input),
    ...limitOptions(limits),
    '--shm-size',
    `${limits.tmpfsBytes}`,
    ...freshPaths(input).flatMap((path) => ['--tmpfs', `${path}:${freshOptions(input)}`]),
    ...bindArguments(input.mounts),
    ...input.volumes.flatMap((volume) => ['--mount', volume]),
    '--workdir',
    '/',
    '--entrypoint',
    entrypoint,
    image.id,
    ...rest,
  ]
}

function limitOptions(limits: SandboxLimits): string[] {
  const memory = `${limits.memoryBytes}`
  const { data: _, ...others } = resourceLimits(limits)
  return [
    '--memory',
    memory,
    '--memory-swap',
    memory,
    '--pids-limit',
    `${mostProcesses}`,
    '--oom-score-adj',
    `${firstToEnd}`,
    ...Object.entries(others).flatMap(([name, value]) => ['--ulimit', `${name}=${value}:${value}`]),
  ]
}

/**
 * A shell line that limits the memory of each process after it. The limit is per process, since
 * Node reserves more memory than it uses.
 */
export function dataLimit(limits: SandboxLimits): string {
  return `ulimit -d ${Math.floor(resourceLimits(limits).data / 1024)}`
}

interface Ids {
  readonly uid: number
  readonly gid: number
}

/**
 * Files written to mounts must belong to the caller, who is root inside the container if docker
 * runs without root.
 */
function idsInside({ program, rootless }: RunInput): Ids {
  if (program === 'docker' && rootless) return { uid: 0, gid: 0 }
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
}

function userOptions(input: RunInput): string[] {
  const { uid, gid } = idsInside(input)
  return [...(input.program === 'podman' && input.rootless ? ['--userns', 'keep-id'] : []), '--user', `${uid}:${gid}`]
}

/**
 * The fresh folders without the image's volumes, which would lie on the host's disk. `/dev/shm` has
 * its own option.
 */
function freshPaths({ image, scratch, mounts }: RunInput): readonly string[] {
  const taken = mounts.map(({ at }) => at)
  const paths = [...freshFolders, ...image.volumes, ...scratch].filter((path) => path !== '/dev/shm')
  return [...new Set(paths)].filter((path) => !taken.includes(path))
}

/** The options name an owner, since a folder of the image otherwise keeps its permissions. */
function freshOptions(input: RunInput): string {
  const { uid, gid } = idsInside(input)
  const owner = input.program === 'podman' ? 'notmpcopyup,U' : `uid=${uid},gid=${gid}`
  return `rw,exec,nosuid,nodev,size=${input.limits.tmpfsBytes},mode=1777,${owner}`
}
