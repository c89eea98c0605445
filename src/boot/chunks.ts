import { existsSync, readFileSync } from 'node:fs'
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
  readonly source: string
  readonly script: Script
  /** Of the kept code that it came from; null when V8 had to compile it. */
  readonly age: number | null
}

type Wrapped = (exports: object, load: (name: string) => unknown, filename: string, folder: string) => void

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
    if (!name.startsWith('./')) return outer(name)
    const chunk = name.slice(2)
    const found = known.get(chunk)
    if (found) return found
    const filename = join(folder, chunk)
    // All chunks are ASCII.
    const source = readFileSync(filename, 'latin1')
    const before = kept?.read(chunk, source) ?? null
    const script = new Script(
      `(function (exports, require, __filename, __dirname) { 'use strict'; ${source}\n})`,
      // A package that is not in the bundle may be imported.
      {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
        ...(before && { cachedData: before.code }),
      },
    )
    if (kept)
      loaded.set(chunk, { source, script, age: script.cachedDataRejected === false ? (before?.age ?? null) : null })
    const exports = {}
    known.set(chunk, exports)
    ;(script.runInThisContext() as Wrapped)(exports, load, filename, folder)
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
      const compiled = better.map(([chunk, { source, script }]): [string, Compiled] => [
        chunk,
        { source, code: script.createCachedData(), age: now },
      ])
      kept.write(new Map(compiled), (chunk) => existsSync(join(folder, chunk)))
      for (const [chunk, each] of better) loaded.set(chunk, { ...each, age: now })
    },
  }
}
