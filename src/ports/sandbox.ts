import type { InfraError } from '../domain/verification/verdict.ts'
import type { CommandTrace } from './command-trace.ts'
import type { Probe, SandboxLimits } from './sandbox-limits.ts'
import type { RunningProgram, SandboxProgram } from './sandbox-program.ts'
import type { SandboxService, ServiceCommand, ServiceRun } from './sandbox-services.ts'

export type Mount = PlainMount | OverlayMount

/** A directory or file of the host, shown inside at the same path unless `at` names another. */
export interface PlainMount {
  readonly path: string
  readonly at?: string
  readonly access: 'read' | 'write'
}

/**
 * Folders laid over each other, the first on top, shown as one folder. Writes, and marks for
 * removed files, go to `upper` and stay there; `lower` never changes. `upper` is an empty or
 * previously used folder that no other sandbox uses at the same time.
 */
export interface OverlayMount {
  readonly at: string
  readonly access: 'overlay'
  readonly isReadOnly?: boolean
  readonly lower: readonly string[]
  readonly upper: string
}

/** The contents and permissions of a sandbox. The only network access is `egress`. */
export interface SandboxSpec {
  readonly mounts: readonly Mount[]
  /** Folders that exist inside, absolute. Each is fresh and writable, and holds only mounts. */
  readonly scratch?: readonly string[]
  /**
   * For a single command or program: the hosts that it may reach, through a proxy that refuses all
   * others. `registry` stands for the hosts of the machine's package-manager configuration. Only
   * these may have private addresses. The environment is set so that package managers use them.
   */
  readonly egress?: readonly string[]
  /**
   * Not for a single command: `$WITH_SERVICES <program>` in a command runs the program beside the
   * services, which end with the command.
   */
  readonly services?: readonly ServiceCommand[]
  /** The working directory: an absolute path inside. */
  readonly cwd: string
  /** The backend adds PATH, HOME and LANG where they are missing; an image may add variables. */
  readonly env: Readonly<Record<string, string>>
  readonly limits: SandboxLimits
}

export interface SandboxCommand {
  /** The command, as given to `sh -c`. */
  readonly command: string
  readonly timeoutMs: number
  /** The standard input; empty by default. */
  readonly stdin?: string | Uint8Array
  /** Receives standard output and standard error together, in order of arrival. */
  readonly onOutput?: (chunk: Uint8Array) => void
  /** Asks for a trace of the command; only a sandbox that can trace takes it. */
  readonly trace?: CommandTrace
  /** Programs that the sandbox starts before the command, and that end with it. */
  readonly services?: readonly SandboxService[]
}

export interface CommandExit {
  /** The exit code: 128 + n for signal n, as in a shell. Null after a timeout. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  /** Duration without the start of its services. */
  readonly durationMs: number
  /** Absent without services. */
  readonly services?: readonly ServiceRun[]
  /** Permitted hosts that a failed command could not reach; left out without any. */
  readonly unreached?: readonly string[]
  /** Left out if no trace was requested; null if it is too long to read. */
  readonly trace?: string | null
}

export type SandboxResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: InfraError }

/**
 * The place where untrusted code runs. Expected failures are values. On abort, the reason of
 * `signal` is thrown.
 */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'docker' | 'podman'
  /** The platform that commands run on, in Node's words: `linux`, `x64`. */
  readonly platform: { readonly os: string; readonly arch: string }
  /**
   * The image of its containers: the user's name for it, and its content id. Null for a sandbox
   * that shows this machine's own programs.
   */
  image(): Promise<SandboxResult<{ readonly name: string; readonly id: string } | null>>
  /** A digest of the programs outside the image that commands find; machines may share one. */
  programs(readOnlyPaths: readonly string[]): Promise<string>
  /**
   * Starts a real sandbox, or with `remembered` returns the last result, if it was good and nothing
   * has changed since. A failure names the command that installs the missing part.
   */
  probe(options?: { readonly remembered: boolean }): Promise<Probe>
  /**
   * Null if commands can be traced in the sandboxes; otherwise the reason, in plain words. Traces a
   * real command, or with `remembered` returns the earlier result.
   */
  whyNotTraced(options?: { readonly remembered: boolean }): Promise<string | null>
  /**
   * Runs one command in a sandbox of its own. When the command ends, times out or is aborted, every
   * process that it started is dead. The host itself sees the exit code, so no other process inside
   * can forge it.
   */
  exec(spec: SandboxSpec, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult<CommandExit>>
  /** Opens a long-lived sandbox with a runner inside that answers tool calls. */
  open(spec: SandboxSpec, signal: AbortSignal): Promise<SandboxResult<SandboxSession>>
  /** Starts a program in a sandbox of its own, which ends with it. */
  start(spec: SandboxSpec, program: SandboxProgram, signal: AbortSignal): Promise<SandboxResult<RunningProgram>>
}

/**
 * A folder to use in place of the spec's `cwd`: an absolute path inside, not a link. With it, a
 * file with more than one hard link is hidden, since another link may lie outside: a `read` or
 * `hash` refuses it and a `search` leaves it out.
 */
export interface InRoot {
  readonly root?: string
}

/**
 * One git command on a repository that is mounted read-only. The command gets this environment
 * alone, and none of the sandbox's own variables or configuration.
 */
export interface GitReading {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  /** The most bytes of output. A command that writes more is ended. */
  readonly maxBytes: number
}

/** One file of several that change together. */
export interface FileChange {
  readonly path: string
  /** SHA-256 of the present content, as for a `write`. */
  readonly before: string | null
  /** The file's new content; null to delete the file. */
  readonly base64: string | null
  /** A file whose mode is copied to a new one. */
  readonly modeOf?: string
}

/**
 * A request to the runner. Paths are relative to the spec's `cwd`. None leads out of it, neither by
 * `..` nor by a link.
 */
export type RunnerRequest =
  | {
      readonly op: 'run'
      readonly command: string
      /** The folder to start in; the spec's `cwd` if left out. */
      readonly cwd?: string
      readonly timeoutMs: number
      readonly maxBytes: number
    }
  /** Starts a command that continues alongside other requests; refused when `most` run already. */
  | {
      readonly op: 'start'
      readonly name: string
      readonly command: string
      readonly cwd?: string
      /** Bytes kept from the end of the output since the last look. */
      readonly maxBytes: number
      readonly most: number
    }
  /**
   * Returns the output of a started command since the last look. Waits for its end, at most
   * `waitMs`. `stop` ends it first. An ended command is forgotten after this look.
   */
  | { readonly op: 'look'; readonly name: string; readonly waitMs: number; readonly stop: boolean }
  | ({ readonly op: 'read'; readonly path: string; readonly maxBytes: number } & InRoot)
  | ({ readonly op: 'hash'; readonly path: string } & InRoot)
  | ({ readonly op: 'list'; readonly pattern: string; readonly max: number } & InRoot)
  | ({ readonly op: 'search'; readonly pattern: string; readonly glob: string | null; readonly max: number } & InRoot)
  /**
   * A fingerprint of the files. Files changed since `since`, in milliseconds since 1970, count by
   * content; others by name and size.
   */
  | { readonly op: 'state'; readonly since: number }
  | ({ readonly op: 'git' } & GitReading)
  /**
   * Writes a file, keeps its mode and makes missing folders. `before` is the SHA-256 that the file
   * must have now, null for a file that must not exist.
   */
  | { readonly op: 'write'; readonly path: string; readonly base64: string; readonly before: string | null }
  /** Changes all files, or none if one differs from its `before`. */
  | { readonly op: 'change'; readonly files: readonly FileChange[] }
  /**
   * Puts a file into a folder of the workspace, and beside it a link to the file. Files and links
   * of these names are replaced, folders are not. All three are plain names. A missing folder is
   * created; a link in its place is not followed.
   */
  | {
      readonly op: 'place'
      readonly folder: string
      readonly name: string
      readonly base64: string
      readonly link: string
    }
  | { readonly op: 'move'; readonly from: string; readonly to: string }
  | { readonly op: 'delete'; readonly path: string }

export interface RunnerReplies {
  /**
   * Output over `maxBytes` is cut to its head and tail, with a line about the missing part. Invalid
   * UTF-8 is replaced.
   */
  run: {
    readonly exitCode: number | null
    readonly timedOut: boolean
    readonly output: string
    readonly truncated: boolean
    readonly durationMs: number
  }
  start: Record<never, never>
  /** `leftOut`: bytes before `output` that were printed and not kept. */
  look: {
    readonly output: string
    readonly leftOut: number
    readonly isRunning: boolean
    readonly ranMs: number
    readonly exitCode: number | null
  }
  read: { readonly base64: string; readonly size: number; readonly sha256: string; readonly path: string }
  /** SHA-256 of the file, null when it does not exist. */
  hash: { readonly sha256: string | null }
  /**
   * Sorted paths, without ignored files and `.git`. A pattern without a slash matches at any depth.
   */
  list: { readonly paths: readonly string[]; readonly truncated: boolean }
  search: {
    readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[]
    readonly truncated: boolean
  }
  /** A fingerprint of all files without ignored ones and `.git`. */
  state: { readonly sha256: string }
  /** `code` is null if the command was ended because it wrote more than `maxBytes`. */
  git: { readonly code: number | null; readonly base64: string; readonly stderr: string }
  write: { readonly sha256: string }
  change: Record<never, never>
  place: Record<never, never>
  move: Record<never, never>
  delete: Record<never, never>
}

export type RunnerErrorCode =
  | 'not_found'
  | 'outside'
  | 'not_a_file'
  | 'too_large'
  | 'changed'
  | 'exists'
  | 'read_only'
  | 'bad_pattern'
  /** Never sent by the runner: the host ended a command that left too little space. */
  | 'disk_full'
  | 'failed'

export type RunnerReply<Op extends keyof RunnerReplies> =
  | { readonly ok: true; readonly value: RunnerReplies[Op] }
  | { readonly ok: false; readonly code: RunnerErrorCode; readonly message: string }

/**
 * A sandbox that stays open. Requests are answered in order. Read-only ones (`read`, `hash`,
 * `list`, `search`, `state`, `git`, `look`) run in parallel, all others alone. After a `run`, no
 * process that it started is alive. Processes of a `start` end with its command, with a `look` that
 * stops it, and with the session at the latest.
 */
export interface SandboxSession {
  /**
   * Rejects with the signal's reason when aborted, which also kills the command. Rejects with
   * SandboxEnded when the sandbox has ended.
   */
  request<R extends RunnerRequest>(request: R, signal: AbortSignal): Promise<RunnerReply<R['op']>>
  /** Resolves when the sandbox has ended, for any reason. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/**
 * The sandbox of a session has ended: a command killed all its processes, or a process inside
 * answered in the runner's place.
 */
export class SandboxEnded extends Error {
  constructor(because: string) {
    super(`The sandbox has ended${because === '' ? '' : `: ${because}`}`)
    this.name = 'SandboxEnded'
  }
}
