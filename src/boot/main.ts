import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { config } from 'zod/v4/core'
import type * as Program from '../cli/run-command-line.ts'
import { createChunks } from './chunks.ts'
import { openCodeCache } from './code-cache.ts'

/** A hash of all chunks, which `scripts/bundle.ts` writes. */
declare const buildOfChunks: string

// A run uses most schemas a few times, so compiling a program for each costs more than it saves.
config({ jitless: true })

// Node's folder is for this version of V8 and this user, and undefined where caches are off.
const cache = getCompileCacheDir()
const chunks = createChunks(
  join(import.meta.dirname, '..', 'chunks'),
  cache === undefined ? null : openCodeCache(cache, buildOfChunks),
)

function keep(): void {
  try {
    chunks.keep()
  } catch {
    // The next start takes a little longer.
  }
}

// V8 drops functions that were not called for long, so a long run writes before its end, too.
setTimeout(keep, 20_000).unref()
process.once('exit', keep)

const { runCommandLine } = chunks.load('./main.cjs') as typeof Program
await runCommandLine(process.argv.slice(2), process.env)
