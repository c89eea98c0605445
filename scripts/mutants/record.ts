import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'

/**
 * Records the mutants that each test file reaches, one line of JSON for each file; and activates
 * one mutant.
 */

const awake = Number(process.env.MUTANT ?? -1)
const reached = new Set<number>()
/** Mutants reached while modules are loaded, which later files of the same worker share. */
const loaded = new Set<number>()
let isLoading = true

declare global {
  var mutant: ((id: number) => boolean) | undefined
}

globalThis.mutant = (id) => {
  if (isLoading) loaded.add(id)
  else reached.add(id)
  return id === awake
}

beforeAll(() => {
  isLoading = false
})

afterAll(() => {
  const { testPath } = expect.getState()
  if (process.env.MUTANT_LOG !== undefined)
    appendFileSync(
      process.env.MUTANT_LOG,
      `${JSON.stringify({ file: testPath, reached: [...reached], loaded: [...loaded] })}\n`,
    )
  reached.clear()
  loaded.clear()
  isLoading = true
})
