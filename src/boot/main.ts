import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import type * as Program from '../cli/run-command-line.ts'
import { createChunks } from './chunks.ts'
import { openKeptCode } from './kept-code.ts'

/** The bundle's script says what all chunks are, by their content. */
declare const buildOfChunks: string

// Of this version of V8 and this user; none where the user wants none.
const cache = getCompileCacheDir()
const chunks = createChunks(
  join(import.meta.dirname, '..', 'chunks'),
  cache === undefined ? null : openKeptCode(cache, buildOfChunks),
)

function keep(): void {
  try {
    chunks.keep()
  } catch {
    // The next start takes a little longer, which is all.
  }
}

// V8 drops what was not called for long, so a long run does not wait for its end.
setTimeout(keep, 20_000).unref()
process.once('exit', keep)

const { runCommandLine } = chunks.load('./main.cjs') as typeof Program
await runCommandLine(process.argv.slice(2), process.env)
