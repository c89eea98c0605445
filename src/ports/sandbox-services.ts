/**
 * A program that runs beside a command, in its sandbox. Several start in order, each when the one
 * before is ready. Nothing they do can pass for the command's exit code. If one is not ready in
 * time, or ends before the command starts, the answer is `service_failed`, whose message begins
 * with `Service <name> `.
 */
export interface SandboxService extends ServiceCommand {
  /** Receives standard output and standard error together, up to the service's end. */
  readonly onOutput: (chunk: Uint8Array) => void
}

/**
 * A service's command. The service starts in the spec's `cwd`, with the spec's environment and its
 * own, and an empty folder, SERVICE_DIR: `/tmp/services/<name>`.
 */
export interface ServiceCommand {
  readonly name: string
  /** The argument of `sh -c`. The command stays in the foreground. */
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /**
   * Condition for readiness: each of the ports accepts a connection, or the command exits with 0.
   */
  readonly ready: { readonly ports: readonly number[] } | { readonly command: string }
  readonly timeoutMs: number
}

/** The run of a service beside a command. */
export interface ServiceRun {
  readonly name: string
  readonly readyMs: number
  /** The exit code, as a shell reports it; null if the service ran until the command ended. */
  readonly exitCode: number | null
}
