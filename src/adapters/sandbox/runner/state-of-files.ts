import { createHash } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { RunnerReplies } from '../../../ports/sandbox.ts'
import { hashNow } from './files.ts'
import { allPaths, type LookInput } from './look.ts'

/** Larger files are not read; their times stand for their content. */
const mostHashedBytes = 4 * 1_048_576
/** The coarsest resolution of a file system's times, one second. */
const slackMs = 1_000
const filesAtOnce = 500

/** A fingerprint of the files. Only files that changed since the given time are read. */
export async function stateOfFiles({
  root,
  ripgrep,
  request: { since },
  signal,
}: LookInput<'state'>): Promise<RunnerReplies['state']> {
  const { paths } = await allPaths({ root, ripgrep, signal, matches: () => true })
  const state = createHash('sha256')
  for (const [i, path] of paths.entries()) {
    const stats = lstatSync(join(root, path), { throwIfNoEntry: false })
    const isRecent = stats !== undefined && stats.ctimeMs >= since - slackMs
    const content = isRecent ? await contentMark({ root, path, stats, signal }) : null
    state.update(JSON.stringify([path, stats?.size ?? null, content]))
    // Yields to the event loop, so that other requests proceed.
    if (i % filesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  }
  return { sha256: state.digest('hex') }
}

interface Recent {
  readonly root: string
  readonly path: string
  readonly stats: Stats
  readonly signal: AbortSignal
}

async function contentMark({ root, path, stats, signal }: Recent): Promise<string | null> {
  if (!stats.isFile() || stats.size > mostHashedBytes) return String(stats.mtimeMs)
  return hashNow(root, path, signal).catch(() => null)
}
