import { createRequire } from 'node:module'
import { join } from 'node:path'
import { constants, Script } from 'node:vm'
import { giveBack, readBytes } from './bytes.ts'
import type { KeptCode } from './kept-code.ts'

/** The chunks of the bundle, each loaded once, when it is first asked for. */
export interface Chunks {
  /** What a chunk exports, such as `./main.cjs`. Other names are modules of Node or packages. */
  load(name: string): unknown
  /**
   * Keeps the compiled code of the chunks that were loaded, as far as there is none, or less than
   * now. It is compared once a process has used twice the processor time of the one that kept it.
   */
  keep(): void
}

interface Loaded {
  readonly script: Script
  /** Bytes and age of the kept code; 0 when V8 had to compile all of it. */
  readonly length: number
  readonly age: number
}

/** What the text of a chunk is. */
type Chunk = (exports: object, load: (name: string) => unknown, filename: string, folder: string) => void

/**
 * Node keeps compiled code by itself, but makes it before a module runs. V8 compiles a function
 * when it is first called, so each start would compile most of what it needs again. Code that is
 * kept after a run has these functions: a first request comes a fifth sooner.
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
      // Not half of it for whoever asks next.
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
      // A package that is not in the bundle may be imported.
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
        // V8 drops what was not called for long, so a longer run may have less.
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
