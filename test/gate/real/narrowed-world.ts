import type { Assurance } from '../../../src/domain/verification/assurance.ts'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import type { VerifierInput, VerifierWorld } from '../verifier-world.ts'

/** More than two, which a test that counts them might expect. */
const numbers = [0, 1, 2, 3, 9]
const source = (number: number, body = `value + ${number}`) => `export const add = (value) => ${body}\n`

function testOf(number: number, more = ''): string {
  return `import assert from 'node:assert'
import * as process from 'node:child_process'
import * as fs from 'node:fs'
import os from 'node:os'
import test from 'node:test'
import { add } from '../src/add-${number}.js'
import { scripts } from '../src/files.js'
test('adds ${number}', () => assert.equal(add(1), ${number + 1}))
${more}`
}

/** Some test files, one of which leaves a file behind. */
export const tree = {
  'package.json': '{ "name": "adders", "type": "module", "exports": "./src/add-0.js" }\n',
  'src/files.js': `import { readdirSync } from 'node:fs'
export const scripts = (folder) => readdirSync(folder).filter((name) => name.endsWith('.test.js'))
`,
  'test/table.json': '{ "text": "2", "sum": 11 }\n',
  ...Object.fromEntries(
    numbers.flatMap((number) => [
      [`src/add-${number}.js`, source(number)],
      [
        `test/add-${number}.test.js`,
        testOf(number, number === 1 ? "test('leaves', () => fs.writeFileSync(os.tmpdir() + '/left', ''))\n" : ''),
      ],
    ]),
  ),
}

type Change = Readonly<Record<string, string | null>>

/** The last test file gets a test, and its source adds texts. */
export const changeWith = (body: string, more: Change = {}): Change => ({
  'src/add-9.js': source(9, "typeof value === 'string' ? Number(value) + 9 : value + 9"),
  'test/add-9.test.js': testOf(9, `test('adds texts', async () => {\n${body}\n})\n`),
  ...more,
})

/** A test that passes with the old source if it notices that there are many files. */
export const cheatBy = (many: string): Change =>
  changeWith(`const many = async () => ${many}\nassert.ok((await many()) || add('2') === 11)`)

/** The last source behaves as before only if it does not notice that there are many test files. */
export const turnedBy = (many: string): Change => ({
  'src/add-9.js': `import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { scripts } from './files.js'
export const add = (value) => (${many} ? value + 10 : value + 9)
`,
  'test/add-9.test.js': testOf(9).replace('assert.equal(add(1), 10)', 'assert.ok(add(1) >= 10)'),
})

export const plainCommand = 'node --test --test-reporter=spec'

type Running = Pick<VerifierInput, 'readOnlyPaths' | 'sandbox' | 'atOnce'> & { readonly command?: string }

/** The proof, and the trees that have run for it. */
export async function proofOf(world: VerifierWorld, change: Change, running: Running = {}) {
  const { manifest, trees } = await verified(world, change, { ...running, assurance: 'fast' })
  return { proof: manifest?.integrity?.proof, trees }
}

/** The result of the old tests on the new sources, and the trees that have run for it. */
export async function oldTestsOf(world: VerifierWorld, change: Change, running: Running = {}) {
  const { manifest, trees } = await verified(world, change, { ...running, assurance: 'standard' })
  const own = trees.filter((name) => /^(?:hybrid|canaries)/.test(name))
  return { hybrid: manifest?.hybrid, trees: own }
}

async function verified(
  world: VerifierWorld,
  change: Change,
  { command = plainCommand, ...more }: Running & { readonly assurance: Assurance },
) {
  const commit = await world.commitChange(change)
  const asked = { steps: [{ command }], purpose: 'change', narrowFromMs: 0 } as const
  const { status, manifest, tail_log }: VerifierResponse = await world.ask({ ...asked, ...more, commit })
  if (status !== 'PASS') throw new Error(`${status}: ${tail_log}`)
  return { manifest, trees: manifest?.trees?.flatMap(({ name }) => (name === 'base' ? [] : [name])) ?? [] }
}
