/**
 * A program that runs beside a command, in its sandbox. Several start in order, each when the one
 * before is ready. Nothing that they do can pass for the command's exit code. If one is not ready
 * in time, or ends before the command starts, the answer is `service_failed`, whose message begins
 * with `Service <name> `.
 */
export interface SandboxService extends ServiceCommand {
  /** Receives standard output and standard error together, up to the service's end. */
  readonly onOutput: (chunk: Uint8Array) => void
}

/**
 * It starts in the spec's `cwd`, with the spec's environment and its own, and an empty folder,
 * SERVICE_DIR: `/tmp/services/<name>`.
 */
export interface ServiceCommand {
  readonly name: string
  /** As given to `sh -c`. It stays in the foreground. */
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /** It is ready when each of the ports accepts a connection, or when the command ends with 0. */
  readonly ready: { readonly ports: readonly number[] } | { readonly command: string }
  readonly timeoutMs: number
}

/** How a service did beside a command that was run. */
export interface ServiceRun {
  readonly name: string
  readonly readyMs: number
  /** As a shell reports it; null if the service ran until the command ended. */
  readonly exitCode: number | null
}
