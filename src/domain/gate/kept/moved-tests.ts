import { names, type ReadFile, type Statement, testBlocks } from './statements.ts'

/**
 * The names of old tests that are in the new files word by word, together with their suite, its
 * other code, and all that they use of their file. The suite may have another name.
 */
export function movedTests(before: readonly ReadFile[], after: readonly ReadFile[]): ReadonlySet<string> {
  const left = Map.groupBy(
    after.flatMap((file) => testsIn(file)),
    ({ words }) => words,
  )
  const old = Map.groupBy(
    before.flatMap((file) => testsIn(file)),
    ({ name }) => name,
  )
  const isThere = ({ words }: Test) => left.get(words)?.pop() !== undefined
  return new Set([...old].flatMap(([name, tests]) => (tests.filter(isThere).length === tests.length ? [name] : [])))
}

interface Test {
  readonly name: string
  /** Equal for the same test in the same surroundings. */
  readonly words: string
}

function testsIn(file: ReadFile): readonly Test[] {
  const blocks = testBlocks(file)
  return file.statements
    .filter(({ hasTests }) => hasTests)
    .flatMap((unit) => {
      const own = blocks.filter(({ start, end }) => unit.start <= start && end <= unit.end)
      let suite = file.text.slice(unit.start, unit.end)
      for (const { start, end } of own.toReversed())
        suite = suite.slice(0, start - unit.start) + suite.slice(end - unit.start)
      const bare = suite
        .replace(/^((?:@.*\n)*class[ \t]+)\w+/, '$1')
        .replace(/^((?:describe|suite)(?:\.\w+)*\(\s*)(["'`])[^"'`\n]*\2/, '$1')
        .replace(/\s+/g, ' ')
      const used = usedBy(file, unit)
      return own.map(({ name, start, end }) => {
        const text = file.text.slice(start, end)
        return { name, words: JSON.stringify([name, text, bare, used.toSorted()]) }
      })
    })
}

/** The texts that a statement uses of its file, also through others, and the imported names. */
function usedBy(file: ReadFile, unit: Statement): readonly string[] {
  const found = new Set([unit])
  const imports = file.statements.filter(({ start, end }) => /^(?:import|from)\b/.test(file.code.slice(start, end)))
  for (const one of found)
    for (const each of file.statements) {
      const isUsed = each.declares === null ? !each.hasTests : names(file, one, each.declares) > 0
      if (isUsed && !imports.includes(each)) found.add(each)
    }
  const textOf = ({ start, end }: Statement) => file.text.slice(start, end)
  const loaded = imports.flatMap((each) => {
    const [from = '', clause = ''] = partsOf(textOf(each))
    const words = clause.match(/[\w$]+/g) ?? []
    const used = words.filter((word) => [...found].some((one) => names(file, one, word) > 0))
    return words.length === 0 ? [from] : used.map((word) => `${word} of ${from}`)
  })
  found.delete(unit)
  return [...[...found].map(textOf), ...loaded]
}

/** The module of an import, and the names that it binds. */
function partsOf(text: string): readonly string[] {
  const [, clause, from] = /^import\b([\s\S]*?)\bfrom\s*(["'][^"']*["'])/.exec(text) ?? []
  if (from !== undefined) return [from, clause ?? '']
  const [, module, bound] = /^from[ \t]+([\w.]+)[ \t]+import\b([\s\S]*)$/.exec(text) ?? []
  return module === undefined ? [text, text.replace(/^import\s*(?:["'].*)?/, '')] : [module, bound ?? '']
}
