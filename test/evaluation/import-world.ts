import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type CommandResult, type Fixture, runHere } from '../scenarios/world/fixture.ts'

interface Suite {
  readonly tasks: readonly {
    readonly id: string
    readonly mode: string
    readonly base?: string
    readonly hidden: unknown
    readonly gold?: unknown
  }[]
}

interface ImportedSuite {
  readonly suite: Suite
  /** The text of a file in the suite. */
  read(path: string): Promise<string>
  selfTest(...args: readonly string[]): Promise<CommandResult>
}

/** Imports the checkout in the fixture's folder as a suite. */
export async function importInto(fixture: Fixture, format: string, ...args: readonly string[]): Promise<ImportedSuite> {
  const suite = join(fixture.folder, 'suite')
  const checkout = join(fixture.folder, 'checkout')
  const { exitCode, stderr } = await runHere(
    ['bench', checkout, '--import', format, '--out', suite, ...args],
    fixture.env,
  )
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  const read = (path: string) => readFile(join(suite, path), 'utf8')
  const out = join(fixture.folder, 'out')
  return {
    suite: JSON.parse(await read('suite.json')) as Suite,
    read,
    selfTest: (...more) => runHere(['bench', suite, '--self-test', '--out', out, ...more], fixture.env),
  }
}
