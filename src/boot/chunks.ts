import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { constants, Script } from 'node:vm'
import type { CodeCache } from './code-cache.ts'

/** The chunks of the bundle, each loaded once, on first use. */
export interface Chunks {
  /** Returns the exports of a chunk such as `./main.cjs`, of a module of Node or of a package. */
  load(name: string): unknown
  /** Writes the compiled code of the loaded chunks that have none yet, or less than now. */
  keep(): void
}

/** The function around each chunk, which `scripts/bundle.ts` writes. */
type Chunk = (exports: object, load: (name: string) => unknown, filename: string, folder: string) => void

/**
 * Node's own compile cache is written before a module runs, and V8 compiles a function when it is
 * first called. This cache is written after a run, so it has these functions: without it, a first
 * request comes an eighth later.
 */
export function createChunks(folder: string, cache: CodeCache | null): Chunks {
  const outer = createRequire(join(folder, 'main.cjs'))
  const loaded = new Map<string, object>()
  const scripts = new Map<string, { readonly script: Script; length: number; age: number }>()

  function load(name: string): unknown {
    if (name.startsWith('node:')) return process.getBuiltinModule(name)
    if (!name.startsWith('./')) return outer(name)
    const chunk = name.slice(2)
    const found = loaded.get(chunk)
    if (found) return found
    const exports = {}
    loaded.set(chunk, exports)
    try {
      run(chunk, exports)
    } catch (error) {
      // The next caller loads all of the chunk again.
      loaded.delete(chunk)
      throw error
    }
    return exports
  }

  function run(chunk: string, exports: object): void {
    const filename = join(folder, chunk)
    const cached = cache?.read(chunk) ?? null
    const script = new Script(readFileSync(filename, 'utf8'), {
      filename,
      ...(cached && { cachedData: cached.code }),
      // A chunk may import a package that is not in the bundle.
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    })
    const used = script.cachedDataRejected === false ? cached : null
    scripts.set(chunk, { script, length: used?.code.length ?? 0, age: used?.age ?? 0 })
    ;(script.runInThisContext() as Chunk)(exports, load, filename, folder)
  }

  return {
    load,
    keep() {
      const { user, system } = process.cpuUsage()
      const age = (user + system) / 1_000
      for (const [chunk, kept] of scripts) {
        if (cache === null || (kept.length > 0 && age < kept.age * 2)) continue
        const code = kept.script.createCachedData()
        // V8 drops functions that were not called for long, so a longer run may have less.
        if (code.length > kept.length) cache.write(chunk, { code, age })
        Object.assign(kept, { length: Math.max(kept.length, code.length), age })
      }
    },
  }
}
