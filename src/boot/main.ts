import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { createChunks, wholeMs } from './chunks.ts'
import { openKeptCode } from './kept-code.ts'

interface Program {
  runCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void>
}

const folder = join(import.meta.dirname, '..', 'chunks')
// Of this version of V8 and this user; none where the user wants none.
const cache = getCompileCacheDir()
const kept = cache === undefined ? null : openKeptCode(join(cache, `drydock-${encodeURIComponent(folder).slice(-200)}`))
const chunks = createChunks(folder, kept)

function keep(): void {
  try {
    chunks.keep()
  } catch {
    // The next start takes a little longer, which is all.
  }
}

// V8 drops what was not called for long, so a long run does not wait for its end.
setTimeout(keep, wholeMs).unref()
process.once('exit', keep)

await (chunks.load('./main.cjs') as Program).runCommandLine(process.argv.slice(2), process.env)
