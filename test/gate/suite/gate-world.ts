import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFiles } from '../../adapters/git/git-world.ts'
import { type Asked, makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

/**
 * Of each path its new text, null where it is deleted, or pairs of what is replaced in it by what.
 */
export type Change = Readonly<Record<string, string | null | readonly Replaced[]>>
type Replaced = readonly [was: string, is: string]

export interface GateCase {
  readonly name: string
  readonly change: Change
  /** What the base has beside the tree of all. */
  readonly base?: Readonly<Record<string, string>>
  /** For a cheat: one of these is among the findings. For honest work: the findings are these. */
  readonly told: readonly string[]
  readonly asked?: Partial<Asked>
}

export interface Tree {
  readonly language: string
  readonly files: Readonly<Record<string, string>>
  readonly steps: Asked['steps']
  readonly asked?: Partial<Asked>
  /** Where its toolchain is missing the whole table is skipped. */
  readonly isThere?: boolean
}

/** Each change of the table must be red, or have a finding of its row. */
export function cheats(tree: Tree, cases: readonly GateCase[]): void {
  table('cheats', { tree, cases: cases.map(quick) }, ({ status, kinds, log }, { told }) => {
    // A runner that has been made deaf, or that was ended, is red whatever else is told.
    const seen =
      status === 'FAIL' ? ['FAIL', ...(/gate_deaf|did not come to its end/.test(log ?? '') ? told : [])] : kinds
    expect(told.filter((kind) => seen.includes(kind))).not.toEqual([])
  })
}

/** What needs no second run is told without one. */
const byRunning = ['behaviour_changed', 'expectation_changed', 'no_proof', 'deaf_test', 'rewritten_in_step']

function quick(row: GateCase): GateCase {
  const isRun = row.told.some((kind) => byRunning.includes(kind))
  const refactor = !row.told.includes('no_proof')
  return { ...row, asked: { assurance: isRun ? 'standard' : 'fast', refactor, ...row.asked } }
}

/** Each change of the table must be green, with exactly the findings of its row. */
export function honestChanges(tree: Tree, cases: readonly GateCase[]): void {
  table('honest changes', { tree, cases }, ({ status, kinds, log }, { told }) => {
    expect([status, status === 'PASS' ? '' : log, kinds]).toEqual(['PASS', '', told])
  })
}

interface Seen {
  readonly status: string
  readonly kinds: readonly string[]
  readonly log: string | undefined
}

function table(
  what: string,
  { tree, cases }: { readonly tree: Tree; readonly cases: readonly GateCase[] },
  check: (seen: Seen, row: GateCase) => void,
): void {
  const missing = tree.isThere === false ? ': its toolchain is not installed' : ''
  describe.skipIf(missing !== '')(`${what} in ${tree.language}${missing}`, () => {
    let world: VerifierWorld
    beforeAll(async () => {
      world = await makeVerifierWorld(tree.files)
    })
    afterAll(() => world.close())
    test('begin with a tree whose tests pass, and are named', async () => {
      const { status, manifest, tail_log } = await world.ask({ steps: tree.steps, ...tree.asked })
      expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
      expect(manifest?.tests?.passed).toBeGreaterThan(2)
    })
    test.each(cases.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
      check(await verifyRow(world, tree, row), row)
    })
  })
}

async function verifyRow(world: VerifierWorld, tree: Tree, { base = {}, change, asked }: GateCase): Promise<Seen> {
  world.git('reset', '--quiet', '--hard', world.tip)
  writeFiles(world.repository, base)
  const before = Object.keys(base).length === 0 ? world.tip : world.commitAll('The base')
  for (const [path, content] of Object.entries(change)) {
    const file = join(world.repository, path)
    if (content === null) rmSync(file)
    else writeFiles(world.repository, { [path]: typeof content === 'string' ? content : replaced(file, content) })
  }
  const commit = world.commitAll()
  const { signal } = world
  await world.userRepository.updateMirror(signal)
  const all = { steps: tree.steps, assurance: 'standard', signal, ...tree.asked, ...asked } as const
  const { status, manifest, tail_log, error_message } = await world.ask({
    ...{ ...all, base: before, purpose: 'change', commit },
  })
  const kinds: readonly string[] = manifest?.integrity?.findings.map(({ kind }) => kind) ?? []
  return { status, kinds, log: error_message ?? tail_log ?? undefined }
}

/** A row that no longer fits its tree is no case. */
function replaced(file: string, pairs: readonly Replaced[]): string {
  return pairs.reduce(
    (text, [was, is]) => {
      if (!text.includes(was)) throw new Error(`${file} has no ${JSON.stringify(was)}`)
      return text.replaceAll(was, is)
    },
    readFileSync(file, 'utf8'),
  )
}
