import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'vitest'
import type { FuzzTarget } from './target.ts'

const corpus = join(import.meta.dirname, 'corpus')

interface Amount {
  readonly cases: number
  readonly seed: number
  /** True to add a new counterexample to the corpus. */
  readonly keeps: boolean
}

/** Replays the corpus, then tries new inputs; returns the number of replayed inputs. */
export async function runTarget<Input>(
  target: FuzzTarget<Input>,
  { cases, seed, keeps }: Amount,
): Promise<{ readonly replayed: number }> {
  const { inputs, check, close } = await target.open()
  try {
    const known = readCorpus<Input>(target.name)
    for (const { file, input } of known) {
      try {
        await check(input)
      } catch (cause) {
        throw new Error(`${file} of the corpus fails again: ${(cause as Error).message}`, { cause })
      }
    }
    const numRuns = Math.ceil(cases / (target.casesPerInput ?? 1))
    const result = await fc.check(
      fc.asyncProperty(inputs, async (input) => check(input)),
      { numRuns, seed },
    )
    if (result.failed) {
      const [input] = result.counterexample ?? []
      const kept = keeps ? ` Kept as ${keep(target.name, input)}.` : ''
      const cause = result.errorInstance
      throw new Error(
        `${target.name}, seed ${seed}: ${(cause as Error)?.message}\ninput: ${JSON.stringify(input)}.${kept}`,
        { cause },
      )
    }
    return { replayed: known.length }
  } finally {
    await close?.()
  }
}

/** A test of one target with ten thousand cases and a new seed, or that of FUZZ_SEED. */
export function fuzz<Input>(target: FuzzTarget<Input>, cases = 10_000): void {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
  test(`${target.name} holds for ${cases} inputs`, async () => {
    const started = performance.now()
    const { replayed } = await runTarget(target, { cases, seed, keeps: true })
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    process.stdout.write(`${target.name}: seed ${seed}, ${replayed} of the corpus, ${cases} new, ${seconds} s\n`)
  })
}

function readCorpus<Input>(name: string): readonly { readonly file: string; readonly input: Input }[] {
  const folder = join(corpus, name)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      return { file: join(name, file), input: (file.endsWith('.json') ? JSON.parse(text) : text) as Input }
    })
}

function keep(name: string, input: unknown): string {
  const text = `${JSON.stringify(input, null, 2)}\n`
  const file = `found-${createHash('sha256').update(text).digest('hex').slice(0, 10)}.json`
  mkdirSync(join(corpus, name), { recursive: true })
  writeFileSync(join(corpus, name, file), text)
  return `test/fuzz/corpus/${name}/${file}`
}
