import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { readReport } from '../../../src/adapters/test-reports/read-report.ts'
import { limits } from '../../../src/domain/limits.ts'
import { mangled, nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Input {
  readonly junit: string | null
  readonly output: string
}

const folder = join(import.meta.dirname, '../../adapters/test-reports')
const samples = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const [files, outputs] = [true, false].map((isFile) =>
  samples.filter(({ name }) => name.endsWith('.xml') === isFile).map(({ text }) => text),
) as [string[], string[]]

const lines = outputs.flatMap((text) => text.split('\n'))
const shuffled = fc.array(fc.oneof(fc.constantFrom(...lines), nasty), { maxLength: 25 }).map((some) => some.join('\n'))
const tags = fc.constantFrom(
  '<testcase name="a"/>',
  '<testsuite>',
  '</testsuite>',
  '<failure/>',
  '<![CDATA[',
  ']]>',
  '&lt;',
  '<!--',
  'name="',
  'file="/repo/a"',
)

const inputs: fc.Arbitrary<Input> = fc.record({
  junit: fc.option(mangled(fc.constantFrom(...files), fc.oneof(tags, nasty)), { freq: 1 }),
  output: fc.oneof(mangled(fc.constantFrom(...outputs), fc.oneof(fc.constantFrom(...lines), nasty)), shuffled),
})

/** A step's output about its tests, by untrusted code. */
export const testReports: FuzzTarget<Input> = {
  name: 'test-reports',
  async open() {
    return { inputs, check }
  },
}

function check(input: Input): void {
  const report = readReport(input)
  expect(readReport(input)).toEqual(report)
  if (!/\r|\p{Cc}\[/u.test(input.output) && !input.output.includes('\u001b'))
    expect(readReport({ ...input, output: noisy(input.output) })).toEqual(report)
  if (report === null) return
  const ids = report.tests.map(({ id }) => id)
  expect(ids.length).toBeLessThanOrEqual(limits.testReport.tests)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    expect(id.length).toBeGreaterThan(0)
    expect(id.length).toBeLessThanOrEqual(limits.testReport.idChars)
    expect(id).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069\ufeff]/u)
    expect(id.isWellFormed()).toBe(true)
  }
  if (report.truncated) expect(report.complete).toBe(false)
}

/** Adds the noise of a terminal and of another system. */
function noisy(output: string): string {
  return output
    .split('\n')
    .map((line) => (line === '' ? line : `\u001b[32m${line}\u001b[0m`))
    .join('\r\n')
}
