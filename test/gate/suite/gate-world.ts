import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeMemoryGate } from '../memory-gate.ts'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

/** For each path its new text, null to delete it, or pairs of a text and its replacement. */
export type Change = Readonly<Record<string, string | null | readonly Replacement[]>>
type Replacement = readonly [was: string, is: string]

export interface GateCase {
  readonly name: string
  readonly change: Change
  /** Files of the base in addition to those of the tree. */
  readonly base?: Readonly<Record<string, string>>
  /**
   * For a cheat: one of these must be among the findings. For honest work: these are exactly the
   * findings.
   */
  readonly told: readonly string[]
  readonly asked?: Partial<VerifierInput>
}

export interface Tree {
  readonly language: string
  readonly files: Readonly<Record<string, string>>
  readonly steps: VerifierInput['steps']
  /** True if the runner does not name tests. */
  readonly isNameless?: true
  readonly asked?: Partial<VerifierInput>
  /** False skips the whole table, because its toolchain is missing. */
  readonly isThere?: boolean
}

/** The place where rows are verified: on real git and sandboxes, or in memory. */
export interface World extends Pick<VerifierWorld, 'tip' | 'textOf' | 'ask' | 'close'> {
  commitOf(change: Readonly<Record<string, string | null>>, on?: string): string | Promise<string>
}
export type MakeWorld = (files: Readonly<Record<string, string>>) => World | Promise<World>

export const real: MakeWorld = makeVerifierWorld
/** `node` runs in memory; other programs do not exist. */
export const memory: MakeWorld = (files) => makeMemoryGate(files)
/**
 * The step is green and prints the same for any tree, except for Go tests that are gone: only
 * findings on the text remain.
 */
export const printing =
  (command: string, output: string): MakeWorld =>
  (files) =>
    makeMemoryGate(files, {
      [command]: (seen) => {
        const own = Object.keys(files).flatMap((path) => seen.read(path) ?? [])
        const lines = output.split(/(?<=\n)/).filter((line) => {
          const name = /\bTest\w+/.exec(line)?.[0]
          return name === undefined || own.length < Object.keys(files).length || own.some((text) => text.includes(name))
        })
        return { exitCode: 0, output: lines.join('') }
      },
    })

/** True if the gate finds the cheat in the text of the change alone. */
export const isOfText = ({ told: [first = ''] }: GateCase) =>
  ['judges_itself', 'suppressed', 'disguised', 'configuration'].includes(first)

/** Each change of the table must be red, or have a finding of its row. */
export function cheats(tree: Tree, make: MakeWorld, cases: readonly GateCase[]): void {
  table(`cheats in ${tree.language}`, { tree, cases: cases.map(quick), make }, ({ status, kinds, log }, { told }) => {
    // A runner that was made deaf, or that was ended, is red whatever else is reported.
    const seen =
      status === 'FAIL' ? ['FAIL', ...(/gate_deaf|did not come to its end/.test(log ?? '') ? told : [])] : kinds
    expect(told.filter((kind) => seen.includes(kind))).not.toEqual([])
  })
}

/** Findings that need a second run; all others are reported without one. */
const byRunning = [
  'behaviour_changed',
  'expectation_changed',
  'no_proof',
  'deaf_test',
  'untried',
  'rewritten_in_step',
  'no_tests',
]

function quick(row: GateCase): GateCase {
  const isRun = row.told.some((kind) => byRunning.includes(kind))
  const refactor = !row.told.includes('no_proof')
  return { ...row, asked: { assurance: isRun ? 'standard' : 'fast', refactor, ...row.asked } }
}

/** Each change of the table must be green, with exactly the findings of its row. */
export function honestChanges(tree: Tree, make: MakeWorld, cases: readonly GateCase[]): void {
  table(`honest changes in ${tree.language}`, { tree, cases, make }, ({ status, kinds, log }, { told }) => {
    expect([status, status === 'PASS' ? '' : log, kinds]).toEqual(['PASS', '', told])
  })
}

interface RowResult {
  readonly status: string
  readonly kinds: readonly string[]
  readonly log: string | undefined
}

interface Table {
  readonly tree: Tree
  readonly cases: readonly GateCase[]
  readonly make: MakeWorld
}

function table(what: string, { tree, cases, make }: Table, check: (seen: RowResult, row: GateCase) => void): void {
  const missing = tree.isThere === false ? ': its toolchain is not installed' : ''
  describe.skipIf(missing !== '')(`${what}${missing}`, () => {
    let world: World
    beforeAll(async () => {
      world = await make(tree.files)
    })
    afterAll(() => world.close())
    test('begin with a tree whose tests pass, and are named as far as they can be', async () => {
      const { status, manifest, tail_log } = await world.ask({ steps: tree.steps, ...tree.asked })
      expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
      if (tree.isNameless) expect(manifest?.tests).toBeUndefined()
      else expect(manifest?.tests?.passed).toBeGreaterThan(2)
    })
    test.each(cases.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
      check(await verifyRow(world, tree, row), row)
    })
  })
}

async function verifyRow(world: World, tree: Tree, { base = {}, change, asked }: GateCase): Promise<RowResult> {
  const before = Object.keys(base).length === 0 ? world.tip : await world.commitOf(base)
  const contents = Object.entries(change).map(([path, content]) => [
    path,
    content === null || typeof content === 'string' ? content : replaced(world.textOf(before, path), path, content),
  ])
  const commit = await world.commitOf(Object.fromEntries(contents), before)
  const all = { steps: tree.steps, assurance: 'standard', ...tree.asked, ...asked } as const
  const { status, manifest, tail_log, error_message } = await world.ask({
    ...all,
    base: before,
    purpose: 'change',
    commit,
  })
  const kinds: readonly string[] = manifest?.integrity?.findings.map(({ kind }) => kind) ?? []
  return { status, kinds, log: error_message ?? tail_log ?? undefined }
}

/** A row that no longer fits its tree is an error. */
function replaced(before: string | null, path: string, pairs: readonly Replacement[]): string {
  return pairs.reduce((text, [was, is]) => {
    if (!text.includes(was)) throw new Error(`${path} has no ${JSON.stringify(was)}`)
    return text.replaceAll(was, is)
  }, before ?? '')
}
