import { type ModuleGraph, reachedBy } from './modules/graph.ts'

interface FewerTestsInput {
  readonly graph: ModuleGraph
  /** The text of a file of the graph; '' for any other. */
  readonly text: (path: string) => string
  /** Test files that the steps have run. */
  readonly run: readonly string[]
  /** Files whose tests are to run. */
  readonly wanted: Iterable<string>
  /** Commands, and texts of files that decide about the steps. */
  readonly deciding: readonly string[]
}

/**
 * The test files that a tree can lack when only the tests of `wanted` are to run. A file that a
 * remaining one loads or names stays. Null where no wanted test runs, where a command or a deciding
 * file names one of them, and where at least half of the files would stay.
 */
export function fewerTests({ graph, text, run, wanted, deciding }: FewerTestsInput): readonly string[] | null {
  const kept = new Set(reachedBy(graph, wanted, { inTests: true }))
  if (!run.some((path) => kept.has(path))) return null
  let left = run.filter((path) => !kept.has(path))
  for (let isFound = true; isFound; ) {
    const gone = new Set(left)
    const loaded = new Set([...graph.loads].flatMap(([path, loads]) => (gone.has(path) ? [] : [...loads])))
    const texts = run.flatMap((path) => (gone.has(path) ? [] : text(path)))
    const needed = left.filter((path) => loaded.has(path) || texts.some((each) => namesFile(each, path)))
    for (const path of reachedBy(graph, needed, { inTests: true })) kept.add(path)
    left = run.filter((path) => !kept.has(path))
    isFound = needed.length > 0
  }
  if (left.length * 2 <= run.length || left.some((path) => deciding.some((each) => namesFile(each, path)))) return null
  return left
}

/** True if a text names a file. Imports and patterns leave out the extension. */
export function namesFile(text: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/[\w-]/.test(text[at - 1] ?? '') && !/[\w-]/.test(text[at + name.length] ?? '')) return true
  return false
}
