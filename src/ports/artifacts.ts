import type { Manifest } from '../domain/verification/verdict.ts'
import type { Mount } from './sandbox.ts'

export interface LogFile {
  /** At once, up to the limit of a log's size, and then a line that says so. */
  write(chunk: Uint8Array): void
  /**
   * Writes what is still held back, which the disk may have no place for. Closed again, it does
   * nothing.
   */
  close(): void
}

/** The folder of one verification, ARTIFACT_DIR of its steps. */
export interface RunFolder {
  readonly path: string
  /**
   * The folder itself read-only, so that nothing in it can be replaced by a link, and the four that
   * may be written.
   */
  readonly mounts: readonly Mount[]
  /** Where writes into the repository go when it is overlaid; becomes `build/overlay`. */
  readonly overlay: string
  /** A log that the steps cannot reach while they run. */
  openLog(name: string): LogFile
  /**
   * A file that the steps have left at a path below `logs/`, `build/` or `tmp/`; null when it is
   * none, is larger than `maxBytes` or lies elsewhere.
   */
  report(path: string, maxBytes: number): Promise<string | null>
  /** Removes what the steps have left at a path below `logs/`, `build/` or `tmp/`. */
  forget(path: string): Promise<void>
  /** Throws away what was written into the overlay; no sandbox may use it meanwhile. */
  renewOverlay(): Promise<void>
  /** Removes all of it: the verification was only made for what its steps said. */
  discard(): Promise<void>
  /**
   * Moves the logs to `logs/`, throws `cache/` and `tmp/` away and writes the manifest. Returns
   * paths of files, relative to the folder: the manifest, the logs, and what else the steps have
   * left. A PASS of the base keeps the tools' caches for later verifications.
   */
  finish(manifest: Manifest): Promise<readonly string[]>
}

/** Folders that a prepare step has made, kept for good and never changed. */
export interface Layer {
  readonly key: string
  /** Holds each output at its path in the repository. */
  readonly folder: string
  readonly outputs: readonly string[]
  /**
   * Folders in it, by their path in the repository, that tools write into while they run and that
   * are empty in the layer.
   */
  readonly scratch: readonly string[]
}

/** A layer in the making. */
export interface LayerDraft {
  /** The layer of an overlay in which the step's writes land; empty. */
  readonly upper: string
  /** May be written by the step, thrown away with the draft. */
  readonly scratch: string
  readonly log: LogFile
  /** Makes the outputs a layer, or names the one that the step has not made. */
  keep(outputs: readonly string[]): Promise<Layer | { readonly missing: string }>
  /** Throws it away but for its log, whose path it gives. */
  discard(): Promise<string>
}

/**
 * ARTIFACT_DIR: what verifications leave, and the caches. A full disk or a folder that cannot be
 * written rejects with the system's error.
 */
export interface Artifacts {
  /**
   * Makes the folder anew: what an interrupted verification left there, and beside it, is gone.
   * `ofBase`: the commit that is verified is a base commit.
   */
  openRun(runId: string, options: { readonly ofBase: boolean }): Promise<RunFolder>
  /**
   * A folder of the same kind beside it, for steps that are run on another commit for the same
   * verification; goes with it.
   */
  openBeside(runId: string, name: string): Promise<RunFolder>
  /**
   * The end of a log, at most `maxBytes`; `path` is below the verification's `logs/` and leads
   * nowhere else.
   */
  readLog(
    runId: string,
    path: string,
    maxBytes: number,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }>
  /**
   * What is kept of the tests of a commit, null when there is nothing; what is asked for counts as
   * used. No sandbox ever sees it.
   */
  testList(key: string): Promise<string | null>
  keepTestList(key: string, text: string): Promise<void>
  /** Null when there is none. One that is asked for counts as used. */
  layer(key: string): Promise<Layer | null>
  draftLayer(key: string): Promise<LayerDraft>
  /** The ids of verifications that have left something, interrupted ones included. */
  runs(): Promise<readonly string[]>
  removeRun(runId: string): Promise<void>
  /**
   * Removes what was being made or removed in a cache when a process ended; nobody may be at it.
   */
  removeUnfinished(): Promise<void>
  /**
   * Removes what was used least recently until all caches together have at most `maxBytes`; the
   * layers in `keep` stay, and all that was used since
   * `unusedSince`. Returns the bytes freed.
   */
  trimCache(options: {
    readonly maxBytes: number
    readonly keep: ReadonlySet<string>
    readonly unusedSince: Date
  }): Promise<number>
}
