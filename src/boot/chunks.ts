import { createRequire } from 'node:module'
import { join } from 'node:path'
import { constants, Script } from 'node:vm'
import { giveBack, readBytes } from './bytes.ts'
import type { KeptCode } from './kept-code.ts'

/** The chunks of the bundle, each loaded once, at its first use. */
export interface Chunks {
  /** The exports of a chunk, such as `./main.cjs`. Other names are modules of Node or packages. */
  load(name: string): unknown
  /**
   * Stores the compiled code of the loaded chunks if there is none, or if there is more now. The
   * comparison happens only once a process has used twice the CPU time of the one that stored it.
   */
  keep(): void
}

interface Loaded {
  readonly script: Script
  /** The length and age of the stored code; 0 if V8 had to compile everything. */
  readonly length: number
  readonly age: number
}

/** The type of a chunk's function. */
type Chunk = (exports: object, load: (name: string) => unknown, filename: string, folder: string) => void

/**
 * Node's own cache stores code before a module runs, but V8 compiles a function only at its first
 * call, so that each start would compile most functions again. Code that is stored after a run
 * contains these functions: the first request comes a fifth sooner.
 */
export function createChunks(folder: string, kept: KeptCode | null): Chunks {
  const outer = createRequire(join(folder, 'main.cjs'))
  const loaded = new Map<string, Loaded>()
  const known = new Map<string, object>()

  function load(name: string): unknown {
    if (name.startsWith('node:')) return process.getBuiltinModule(name)
    if (!name.startsWith('./')) return outer(name)
    const chunk = name.slice(2)
    const found = known.get(chunk)
    if (found) return found
    const exports = {}
    known.set(chunk, exports)
    try {
      run(chunk, exports)
    } catch (error) {
      // A chunk that failed to load must not be returned to the next caller.
      known.delete(chunk)
      throw error
    }
    return exports
  }

  function run(chunk: string, exports: object): void {
    const filename = join(folder, chunk)
    const text = textOf(filename)
    const before = kept?.read(chunk) ?? null
    const script = new Script(text, {
      ...{ filename, ...(before && { cachedData: before.code }) },
      // A package outside the bundle may be imported.
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    })
    const taken = script.cachedDataRejected === false ? before : null
    loaded.set(chunk, { script, length: taken?.code.length ?? 0, age: taken?.age ?? 0 })
    if (before !== null) giveBack(before.code)
    ;(script.runInThisContext() as Chunk)(exports, load, filename, folder)
  }

  return {
    load,
    keep() {
      const { user, system } = process.cpuUsage()
      const now = (user + system) / 1_000
      const due = [...loaded].filter(([, { length, age }]) => length === 0 || now >= age * 2)
      if (kept === null || due.length === 0) return
      kept.check()
      for (const [chunk, { script, length }] of due) {
        const code = script.createCachedData()
        // V8 drops functions that were not called for long, so a longer run may have less code.
        if (code.length > length) kept.write(chunk, { code, age: now })
        loaded.set(chunk, { script, length: Math.max(length, code.length), age: now })
      }
      kept.tidy()
    },
  }
}

/** All chunks are ASCII. */
function textOf(filename: string): string {
  const bytes = readBytes(filename)
  if (bytes === null) throw new Error(`${filename} changed while it was read`)
  const text = bytes.toString('latin1')
  giveBack(bytes)
  return text
}
