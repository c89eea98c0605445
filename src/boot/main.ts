import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import type * as Program from '../cli/run-command-line.ts'
import { createChunks } from './chunks.ts'
import { openKeptCode } from './kept-code.ts'

/** Identifies the content of all chunks; defined by the bundle's script. */
declare const buildOfChunks: string

// The cache for this version of V8 and this user; undefined if the user has disabled it.
const cache = getCompileCacheDir()
const chunks = createChunks(
  join(import.meta.dirname, '..', 'chunks'),
  cache === undefined ? null : openKeptCode(cache, buildOfChunks),
)

function keep(): void {
  try {
    chunks.keep()
  } catch {
    // The next start merely takes a little longer.
  }
}

// V8 drops functions that were not called for long, so a long run stores its code before its end.
setTimeout(keep, 20_000).unref()
process.once('exit', keep)

const { runCommandLine } = chunks.load('./main.cjs') as typeof Program
await runCommandLine(process.argv.slice(2), process.env)
