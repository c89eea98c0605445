import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { constants, Script } from 'node:vm'
import type { Compiled, KeptCode } from './kept-code.ts'

/** A process that has run for this long has compiled nearly all that another one will need. */
export const wholeMs = 20_000

/** The chunks of the bundle, each loaded once, when it is first asked for. */
export interface Chunks {
  /** What a chunk exports, such as `./main.cjs`. Other names are modules of Node or packages. */
  load(name: string): unknown
  /**
   * Keeps the compiled code of the chunks that were loaded, as far as there is none yet or what
   * there is was made by a process that had run for less than half as long.
   */
  keep(): void
}

interface Loaded {
  readonly state: string
  readonly script: Script
  /** Of the kept code that it came from; null when V8 had to compile it. */
  readonly age: number | null
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
    const filename = join(folder, chunk)
    const { size, mtimeMs } = statSync(filename)
    const state = `${size} ${mtimeMs}`
    const before = kept?.read(chunk, state) ?? null
    // All chunks are ASCII.
    const script = new Script(readFileSync(filename, 'latin1'), {
      ...{ filename, ...(before && { cachedData: before.code }) },
      // A package that is not in the bundle may be imported.
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    })
    const isTaken = before !== null && script.cachedDataRejected === false
    if (kept) loaded.set(chunk, { state, script, age: isTaken ? before.age : null })
    const exports = {}
    known.set(chunk, exports)
    ;(script.runInThisContext() as Chunk)(exports, load, filename, folder)
    return exports
  }

  return {
    load,
    keep() {
      if (kept === null) return
      const now = process.uptime() * 1_000
      const isLonger = (age: number) => age < wholeMs && now > age * 2
      const better = [...loaded].filter(([, { age }]) => age === null || isLonger(age))
      if (better.length === 0) return
      const compiled = better.map(([chunk, { state, script }]): [string, Compiled] => [
        chunk,
        { state, code: script.createCachedData(), age: now },
      ])
      kept.write(new Map(compiled), (chunk) => existsSync(join(folder, chunk)))
      for (const [chunk, each] of better) loaded.set(chunk, { ...each, age: now })
    },
  }
}
