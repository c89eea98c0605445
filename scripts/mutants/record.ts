import { appendFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

/** Which mutants a file of tests reaches, one line of JSON a file; and which one is awake. */

const awake = Number(process.env.MUTANT ?? -1)
const reached = new Set<number>()

declare global {
  var mutant: ((id: number) => boolean) | undefined
}

globalThis.mutant = (id) => {
  reached.add(id)
  return id === awake
}

afterAll(() => {
  const { testPath } = expect.getState()
  if (process.env.MUTANT_LOG !== undefined)
    appendFileSync(process.env.MUTANT_LOG, `${JSON.stringify({ file: testPath, reached: [...reached] })}\n`)
  reached.clear()
})
