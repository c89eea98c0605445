import type { RunnerReply } from './sandbox.ts'

/**
 * Reads of one tree of files: a workspace in its present state, or a commit. Paths are relative to
 * the top of the tree, and none leads out of it. A refusal is a value. Rejects with the signal's
 * reason when aborted.
 */
export interface Files {
  read(path: string, maxBytes: number, signal: AbortSignal): Promise<RunnerReply<'read'>>
  list(pattern: string, max: number, signal: AbortSignal): Promise<RunnerReply<'list'>>
  search(
    wanted: { readonly pattern: string; readonly glob: string | null; readonly max: number },
    signal: AbortSignal,
  ): Promise<RunnerReply<'search'>>
}
