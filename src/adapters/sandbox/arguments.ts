import { existsSync } from 'node:fs'
import type { SandboxSpec } from '../../ports/sandbox.ts'
import { hostFiles } from './host-files.ts'
import type { ResolvedMount } from './mounts.ts'
import { mergedView } from './overlay.ts'
import { rootFolders } from './root-folders.ts'

/** Paths inside the sandbox that are new, empty folders of limited size. */
export const freshFolders = ['/dev/shm', '/tmp', '/home/agent', '/run'] as const

/** Kernel settings that a sandbox started by root could write even without capabilities. */
const kernelSwitches = [
  '/proc/sys',
  '/proc/sysrq-trigger',
  '/proc/irq',
  '/proc/bus',
  '/proc/acpi',
  '/proc/scsi',
  '/proc/mtrr',
]

/**
 * Files in which the kernel lists the user's keys and the timers of every process. In a sandbox,
 * the file with the kernel's version is mounted over them.
 */
const kernelSecrets = ['/proc/keys', '/proc/key-users', '/proc/timer_list', '/proc/sched_debug']

export interface ArgumentInput {
  readonly mounts: readonly ResolvedMount[]
  readonly scratch: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly limits: Pick<SandboxSpec['limits'], 'tmpfsBytes'>
  /**
   * True to use an ordinary user inside the sandbox even if the caller is root, since some servers
   * refuse to run as root.
   */
  readonly isOrdinary?: boolean
  /** File descriptors that bwrap reads from or writes to. */
  readonly hostsFd: number
  readonly infoFd: number
  readonly seccompFds: readonly number[]
}

/**
 * All arguments of bwrap except the program. The order matters: later mounts cover earlier ones.
 */
export function bubblewrapArguments(input: ArgumentInput): string[] {
  const isWithin = ({ at }: ResolvedMount) => input.scratch.some((path) => at.startsWith(`${path}/`))
  return [
    '--unshare-user',
    '--unshare-all',
    '--disable-userns',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--hostname',
    'drydock',
    '--info-fd',
    `${input.infoFd}`,
    ...input.seccompFds.flatMap((fd) => ['--add-seccomp-fd', `${fd}`]),
    '--clearenv',
    ...Object.entries(input.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...systemFolders(),
    '--ro-bind-data',
    `${input.hostsFd}`,
    '/etc/hosts',
    '--proc',
    '/proc',
    ...kernelSwitches.flatMap((path) => ['--ro-bind-try', path, path]),
    ...kernelSecrets.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/proc/version', path]),
    '--dev',
    '/dev',
    ...freshFolders.flatMap((path) => fresh(path, input)),
    '--remount-ro',
    '/dev',
    ...input.mounts.filter((mount) => !isWithin(mount)).flatMap(mountArguments),
    ...input.scratch.flatMap((path) => fresh(path, input)),
    ...input.mounts.filter(isWithin).flatMap(mountArguments),
    ...callersIds(input),
    '--remount-ro',
    '/',
    '--chdir',
    input.cwd,
  ]
}

function fresh(path: string, { limits }: ArgumentInput): string[] {
  return ['--size', `${limits.tmpfsBytes}`, '--tmpfs', path]
}

function mountArguments(mount: ResolvedMount): string[] {
  if (mount.access === 'overlay') return [mount.isReadOnly ? '--ro-bind' : '--bind', mergedView(mount), mount.at]
  return [mount.access === 'read' ? '--ro-bind' : '--bind', mount.source, mount.at]
}

/** The uid of `nobody` on every system, since the user names inside are the host's. */
const nobody = 65_534

/** In the namespace in which bwrap starts, every caller is root. */
function callersIds({ isOrdinary = false }: ArgumentInput): string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const ids = isOrdinary && uid === 0 ? { uid: nobody, gid: nobody } : { uid, gid }
  return ['--uid', `${ids.uid}`, '--gid', `${ids.gid}`]
}

function systemFolders(): string[] {
  return [
    '--ro-bind',
    '/usr',
    '/usr',
    ...rootFolders().flatMap(({ path, link }) =>
      link === null ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ...hostFiles().flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  ]
}
