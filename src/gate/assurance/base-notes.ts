import { createHash } from 'node:crypto'
import { parsedJson } from '../../domain/json.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { Trying } from './trying.ts'

/** Notes on tests that are deaf on a base commit, so that no run tries them there again. */
export interface BaseNotes {
  /** True for a known note: its kind with a step and a file, or with a file and a test. */
  has(...what: readonly string[]): boolean
  add(...what: readonly string[]): void
  /** Stores the added notes for the next verification against this base. */
  keep(): Promise<void>
}

/** The notes on a base commit with its configuration. */
export async function baseNotes(
  { artifacts }: { readonly artifacts: Artifacts },
  { base, input: { config } }: Pick<Trying, 'base' | 'input'>,
): Promise<BaseNotes> {
  const what = [base.tree, config.steps, config.prepare, config.services ?? [], config.writes, config.package]
  const key = createHash('sha256')
    .update(`notes ${JSON.stringify(what)}`)
    .digest('hex')
    .slice(0, 32)
  const known = new Set(linesOf(await artifacts.testList(key)))
  const added = new Set<string>()
  return {
    has: (...parts) => known.has(JSON.stringify(parts)),
    add: (...parts) => added.add(JSON.stringify(parts)),
    async keep() {
      const all = [...new Set([...known, ...added])]
      if (all.length > known.size) await artifacts.keepTestList(key, JSON.stringify(all), { forGood: true })
    },
  }
}

function linesOf(text: string | null): readonly string[] {
  const read: unknown = parsedJson(text ?? '')
  return Array.isArray(read) ? read.filter((each) => typeof each === 'string') : []
}
