import type { RunnerReply } from './sandbox.ts'

/**
 * Reading of one tree of files: a workspace as it is now, or a commit. Paths are relative to its
 * top, which nothing can leave. A refusal is a value; rejects with the signal's reason when
 * aborted.
 */
export interface Files {
  read(path: string, maxBytes: number, signal: AbortSignal): Promise<RunnerReply<'read'>>
  list(pattern: string, max: number, signal: AbortSignal): Promise<RunnerReply<'list'>>
  search(
    wanted: { readonly pattern: string; readonly glob: string | null; readonly max: number },
    signal: AbortSignal,
  ): Promise<RunnerReply<'search'>>
}
