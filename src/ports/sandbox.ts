import type { InfraError } from '../domain/verification/verdict.ts'

export type Mount = PlainMount | OverlayMount

/** A directory or file of the host, seen inside at the same path unless `at` names another. */
export interface PlainMount {
  readonly path: string
  readonly at?: string
  readonly access: 'read' | 'write'
}

/**
 * Folders laid over each other, the first on top, seen as one that can be written. What is written,
 * and marks for what is removed, land in `upper` and stay there; `lower` is never changed. `upper`
 * is an empty or earlier used folder that no other sandbox uses meanwhile.
 */
export interface OverlayMount {
  readonly at: string
  readonly access: 'overlay'
  readonly lower: readonly string[]
  readonly upper: string
}

export interface SandboxLimits {
  /**
   * Bytes of memory of one process (address space is not limited; data segments are) or of the
   * whole sandbox where cgroups allow.
   */
  readonly memoryBytes: number
  /** Bytes of the largest file that may be written. */
  readonly fileBytes: number
  readonly openFiles: number
  /** Bytes of each tmpfs: /tmp, /dev/shm, /run and the home. */
  readonly tmpfsBytes: number
}

/** What a sandbox shows and allows. There is no network but what `egress` names. */
export interface SandboxSpec {
  readonly mounts: readonly Mount[]
  /** Absolute paths inside, existing folders there, that are fresh, empty and writable. */
  readonly scratch?: readonly string[]
  /**
   * Of a single command: hosts that it may reach, through a proxy that refuses all others.
   * `registry` stands for those of the machine's package-manager configuration, which alone may
   * have private addresses; the environment is set so that the package managers use them.
   */
  readonly egress?: readonly string[]
  /** Absolute, as seen inside. */
  readonly cwd: string
  /**
   * The environment, but for PATH, HOME and LANG, which the backend sets when they are missing
   * here, and what a container's image brings.
   */
  readonly env: Readonly<Record<string, string>>
  readonly limits: SandboxLimits
}

export interface SandboxCommand {
  /** Given to `sh -c`. */
  readonly command: string
  readonly timeoutMs: number
  /** Written to standard input, which is empty without it. */
  readonly stdin?: string | Uint8Array
  /** Standard output and standard error together, in order of arrival. */
  readonly onOutput?: (chunk: Uint8Array) => void
}

export interface CommandExit {
  /**
   * As a shell tells it: 128 + n for a command that signal n ended. null when it was killed because
   * its time was over.
   */
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly durationMs: number
}

export type Probe =
  | {
      readonly ok: true
      readonly enforced: Readonly<
        Record<keyof SandboxLimits | 'network' | 'processes', 'enforced' | 'best effort' | 'not'>
      >
    }
  | { readonly ok: false; readonly error: InfraError }

export type SandboxResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: InfraError }

/**
 * Where untrusted code runs. Expected failures are values; `signal` aborts with its reason thrown.
 */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'docker' | 'podman'
  /**
   * What its containers are made from: how the user calls it, and its content. Null for one that
   * shows this machine's own programs.
   */
  image(): Promise<SandboxResult<{ readonly name: string; readonly id: string } | null>>
  /** Really starts a sandbox. A failure names the line that installs what is missing. */
  probe(): Promise<Probe>
  /**
   * One command in a sandbox of its own. When it ends, is timed out or aborted, everything it
   * started is dead. Its exit code is seen by the host and cannot be forged by another process
   * inside.
   */
  exec(spec: SandboxSpec, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult<CommandExit>>
  /** A long-lived sandbox with a runner inside that answers tool calls. */
  open(spec: SandboxSpec, signal: AbortSignal): Promise<SandboxResult<SandboxSession>>
}

/**
 * A folder in place of the spec's `cwd`: absolute, seen inside, no link. With it a file that has
 * another name is not shown either, since that name may lie outside: a `read` refuses it and a
 * `search` leaves it out.
 */
export interface Rooted {
  readonly root?: string
}

/**
 * One command of git on a repository that is shown read-only: argv only, with nothing of the
 * sandbox's own environment or configuration.
 */
export interface GitReading {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  /** Of its output; more ends it. */
  readonly maxBytes: number
}

/**
 * What the runner can be asked. Paths are relative to the spec's `cwd`, which nothing can leave:
 * neither by `..` nor by a link.
 */
export type RunnerRequest =
  | { readonly op: 'run'; readonly command: string; readonly timeoutMs: number; readonly maxBytes: number }
  | ({ readonly op: 'read'; readonly path: string; readonly maxBytes: number } & Rooted)
  | { readonly op: 'hash'; readonly path: string }
  | ({ readonly op: 'list'; readonly pattern: string; readonly max: number } & Rooted)
  | ({ readonly op: 'search'; readonly pattern: string; readonly glob: string | null; readonly max: number } & Rooted)
  /**
   * `before` is the SHA-256 the file must have now, null for a file that must not exist. Keeps the
   * file's mode; makes folders.
   */
  | ({ readonly op: 'git' } & GitReading)
  | { readonly op: 'write'; readonly path: string; readonly base64: string; readonly before: string | null }
  | { readonly op: 'move'; readonly from: string; readonly to: string }
  | { readonly op: 'delete'; readonly path: string }

export interface RunnerReplies {
  /**
   * Output is the head and the tail when it is over `maxBytes`, with a line that says how much was
   * left out. Invalid UTF-8 is replaced.
   */
  run: {
    readonly exitCode: number | null
    readonly timedOut: boolean
    readonly output: string
    readonly truncated: boolean
    readonly durationMs: number
  }
  read: { readonly base64: string; readonly size: number; readonly sha256: string; readonly path: string }
  /** SHA-256 of the file, null when there is none. */
  hash: { readonly sha256: string | null }
  /** Sorted; ignored files and `.git` left out; a pattern without a slash matches at any depth. */
  list: { readonly paths: readonly string[]; readonly truncated: boolean }
  search: {
    readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[]
    readonly truncated: boolean
  }
  /** `code` is null when it wrote more than `maxBytes`, and was ended for it. */
  git: { readonly code: number | null; readonly base64: string; readonly stderr: string }
  write: { readonly sha256: string }
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
  /** Never the runner's: the host has ended a command that left too little space. */
  | 'disk_full'
  | 'failed'

export type RunnerReply<Op extends keyof RunnerReplies> =
  | { readonly ok: true; readonly value: RunnerReplies[Op] }
  | { readonly ok: false; readonly code: RunnerErrorCode; readonly message: string }

/**
 * One sandbox that stays. Requests are answered in order; those that change nothing (`read`,
 * `hash`, `list`, `search`, `git`) side by side, all others alone. After a `run` nothing that it
 * started is alive.
 */
export interface SandboxSession {
  /**
   * Rejects with the signal's reason when aborted (the command is then killed), and with
   * SandboxEnded when it is gone.
   */
  request<R extends RunnerRequest>(request: R, signal: AbortSignal): Promise<RunnerReply<R['op']>>
  /** Resolves when the sandbox has ended, whoever ended it. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/**
 * The sandbox of a session has ended: a command killed all that was in it, or something inside
 * spoke in the runner's place.
 */
export class SandboxEnded extends Error {
  constructor(because: string) {
    super(`The sandbox has ended${because === '' ? '' : `: ${because}`}`)
    this.name = 'SandboxEnded'
  }
}
