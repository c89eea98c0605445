import type { Manifest } from '../domain/verification/verdict.ts'
import type { Mount } from './sandbox.ts'

export interface LogFile {
  /**
   * Writes at once, up to the size limit of a log. There, one last line says that the log is cut.
   */
  write(chunk: Uint8Array): void
  /**
   * Writes the text that is still buffered, which fails on a full disk. A second call does nothing.
   */
  close(): void
}

/** The folder of one verification: ARTIFACT_DIR of its steps. */
export interface RunFolder {
  readonly path: string
  /**
   * The folder itself, read-only, so that a step cannot replace anything in it by a link. `logs`,
   * `build`, `cache` and `tmp` in it are writable.
   */
  readonly mounts: readonly Mount[]
  /**
   * Takes the writes into the repository when the repository is overlaid. Becomes `build/overlay`.
   */
  readonly overlay: string
  /**
   * Writes files, by their paths, into a new folder beside the overlay and returns that folder. No
   * step sees the folder unless it is mounted. Finishing or discarding removes it.
   */
  lay(files: ReadonlyMap<string, Uint8Array>): Promise<string>
  /** Opens a log that the steps cannot reach while they run. A second call continues the log. */
  openLog(name: string): LogFile
  /**
   * The text of a file that the steps left at a path below `logs/`, `build/` or `tmp/`. Null when
   * the path is not a regular file, lies elsewhere, or has more than `maxBytes`.
   */
  report(path: string, maxBytes: number): Promise<string | null>
  /** Removes the file or folder that the steps left at a path below `logs/`, `build/` or `tmp/`. */
  forget(path: string): Promise<void>
  /** Names at the top of the overlay; everything else in the repository is unchanged. */
  overlaid(): Promise<readonly string[]>
  /**
   * Paths of files and links that the overlay has now, including written ones of the repository. At
   * most `most` entries are read.
   */
  written(asked: { readonly isWanted: (path: string) => boolean; readonly most: number }): Promise<WrittenFiles>
  /**
   * Selects those folders of the repository that are certainly still folders, whatever was written
   * into the overlay.
   */
  foldersLeft(paths: readonly string[]): Promise<readonly string[]>
  /** Empties the overlay. No sandbox may use the overlay in the meantime. */
  renewOverlay(): Promise<void>
  /** Removes the whole folder, for a verification whose result alone was needed. */
  discard(): Promise<void>
  /**
   * Moves the logs to `logs/`, empties `cache/` and `tmp/`, and writes the manifest. Returns the
   * paths of the manifest, the logs and all files that the steps left, relative to the folder. A
   * PASS of a base commit keeps the tools' caches for later verifications.
   */
  finish(manifest: Manifest): Promise<readonly string[]>
}

export interface WrittenFiles {
  readonly paths: readonly string[]
  /** False if there was more than is read, or something unreadable. */
  readonly isWhole: boolean
}

/** Folders that a prepare step made. A layer is kept and never changes. */
export interface Layer {
  readonly key: string
  /** A folder with each output at its path in the repository. */
  readonly folder: string
  readonly outputs: readonly string[]
  /**
   * Folders of the layer that tools write into while they run, by their path in the repository. The
   * layer has them empty.
   */
  readonly scratch: readonly string[]
  /**
   * Paths that a prepare step left in such folders, which are not in `scratch` then; left out by
   * older versions.
   */
  readonly filled?: readonly string[]
  /**
   * True if the layer was made in a commit that a Run began with, so that other machines may use
   * it.
   */
  readonly isOfStart: boolean
}

/**
 * The error for a layer that cannot be shared with other machines, or for content of another
 * machine that is not a valid layer.
 */
export class LayerRefused extends Error {
  constructor(reason: string) {
    super(`the layer cannot be shared: ${reason}`)
    this.name = 'LayerRefused'
  }
}

/** A layer that is being made. */
export interface LayerDraft {
  /** An empty folder: the layer of an overlay that receives the step's writes. */
  readonly upper: string
  /** A folder that the step may write; removed with the draft. */
  readonly scratch: string
  readonly log: LogFile
  /** Turns the outputs into a layer, or names the output that the step did not make. */
  keep(outputs: readonly string[], about: Pick<Layer, 'isOfStart'>): Promise<Layer | { readonly missing: string }>
  /** Removes the draft except its log. Returns the log's path. */
  discard(): Promise<string>
}

/** The owner of an output: names are unique within one lane. */
export interface OutputOf {
  readonly run: string
  readonly lane: string
  readonly name: string
}

/**
 * ARTIFACT_DIR: the files that verifications leave, and the caches. Rejects with the system's error
 * when the disk is full or a folder cannot be written.
 */
export interface Artifacts {
  /**
   * Makes an empty folder for a verification. Files that an interrupted verification of this id
   * left there or beside it are removed. `ofBase`: the commit to verify is a base commit.
   */
  openRun(runId: string, options: { readonly ofBase: boolean }): Promise<RunFolder>
  /**
   * Makes a second folder for the same verification, for steps that run on another commit. Both
   * folders are removed together.
   */
  openBeside(runId: string, name: string): Promise<RunFolder>
  /** These artifacts, but with tools' caches that only a further repository's verifications see. */
  ofRepository(repository: string): Artifacts
  /**
   * The end of a log, at most `maxBytes`, from the start of a line. `path` is below the
   * verification's `logs/`; a path that leads elsewhere is refused. `skipped` describes the part
   * before; null for a whole log.
   */
  readLog(
    runId: string,
    path: string,
    maxBytes: number,
  ): Promise<
    | {
        readonly ok: true
        readonly text: string
        readonly skipped: { readonly bytes: number; readonly lines: number } | null
      }
    | { readonly ok: false; readonly reason: string }
  >
  /**
   * Keeps the output of an agent's command, without secrets. `name` is a word; a repeated name
   * replaces the earlier output. A lane has a limited number, and loses the oldest.
   */
  keepOutput(of: OutputOf, text: string): Promise<void>
  /** A kept output, or null. */
  output(of: OutputOf): Promise<string | null>
  /** The Runs that have outputs. */
  outputRuns(): Promise<readonly string[]>
  removeOutputs(run: string): Promise<void>
  /**
   * The kept tests of a commit, or null. Reading a list counts as using it. No sandbox ever sees
   * the list.
   */
  testList(key: string): Promise<string | null>
  /** Keeps the tests of a commit. With `forGood: false` the list is lost when this process ends. */
  keepTestList(key: string, text: string, options: { readonly forGood: boolean }): Promise<void>
  /**
   * Runs the work while no other user of these artifacts runs work of that name. Callers take turns
   * in the order in which they asked. The signal ends the wait.
   */
  alone<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** The layer of that key, or null. Reading a layer counts as using it. */
  layer(key: string): Promise<Layer | null>
  draftLayer(key: string): Promise<LayerDraft>
  /**
   * The files of a layer as one compressed stream, which is the same for the same files. Throws
   * LayerRefused if another machine could not use the layer.
   */
  packLayer(layer: Layer): AsyncIterable<Uint8Array>
  /**
   * Makes a layer from the output of `packLayer` on another machine. The layer gets its name only
   * once all of it is on the disk. The content is untrusted: no part of it can escape the folder.
   * Throws LayerRefused; rejects with the errors of the content, and with the signal's reason.
   */
  unpackLayer(
    layer: Pick<Layer, 'key' | 'outputs'>,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Layer>
  /**
   * The regular files of a verification: its manifest, then its logs, then the steps' files below
   * `build/`, up to `limits.blobs.files` of each. Empty without a manifest, as after an
   * interruption.
   */
  files(runId: string): Promise<readonly { readonly path: string; readonly bytes: number }[]>
  /**
   * The content of one of these files. Follows no link; throws when the file is no longer one of
   * them.
   */
  readFile(runId: string, path: string): AsyncIterable<Uint8Array>
  /** The ids of all verifications that left files, including interrupted ones. */
  runs(): Promise<readonly string[]>
  removeRun(runId: string): Promise<void>
  /**
   * Removes the cache entries that a process was making or removing when it ended. These artifacts
   * belong to one worker, so no other process can be working on them.
   */
  removeUnfinished(): Promise<void>
  /**
   * Removes the least recently used entries until all caches together have at most `maxBytes`. The
   * layers in `keep` stay, and so does every entry used after `unusedSince`. Returns the bytes
   * freed.
   */
  trimCache(options: {
    readonly maxBytes: number
    readonly keep: ReadonlySet<string>
    readonly unusedSince: Date
  }): Promise<number>
}
