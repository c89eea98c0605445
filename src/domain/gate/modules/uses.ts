import { isTestFile } from '../../story/plan.ts'
import { countAssertions } from '../assertions.ts'
import { declaredTests } from '../declared-tests.ts'
import { guardedBy } from '../guarded-file.ts'
import { testParts } from '../in-file-tests.ts'
import { hasMain, isC, isCSource } from './c-modules.ts'
import { isGo } from './go-modules.ts'
import { type ModuleGraph, reachedBy } from './graph.ts'
import { bearsJudging, definesChecks, isToolOfTests } from './judging-words.ts'
import type { ModuleTree } from './module-tree.ts'
import { folderOf, stemOf } from './paths.ts'
import { isPython } from './python-modules.ts'
import { isRust } from './rust-modules.ts'
import { isScript } from './script-modules.ts'

/** The roles of a tree's files: product and tests. */
export interface Uses {
  readonly tree: ModuleTree
  readonly graph: ModuleGraph
  /** Files of tests. */
  readonly tests: ReadonlySet<string>
  /**
   * The product's entry points and the files that they load. Files that nothing loads are included
   * with all that they load, since something unknown may start them. In a language whose entry
   * points reach no tested file, modules that tests are named for count as entry points.
   */
  readonly product: ReadonlySet<string>
  /** The product files that are reached from entry points known from a manifest or by name. */
  readonly started: ReadonlySet<string>
  /** Languages whose entry points reach a tested file. */
  readonly known: ReadonlySet<Language>
  /** The tests, and the files that they load. */
  readonly tested: ReadonlySet<string>
}

export function usesOf(tree: ModuleTree, graph: ModuleGraph): Uses {
  const tests = new Set([...graph.modules].filter((path) => isTestFile(path) && !path.endsWith('.d.ts')))
  const loaded = new Set<string>()
  for (const [path, loads] of graph.loads) if (!tests.has(path)) for (const each of loads) loaded.add(each)
  for (const path of graph.modules) if (!loaded.has(path) && isOnlyTests(tree, graph, path)) tests.add(path)
  const entries = [...graph.entries].filter((path) => !tests.has(path))
  const started = reachedBy(graph, entries)
  const inTests = [...graph.loadsInTests.values()].flatMap((each) => [...each])
  const tested = reachedBy(graph, [...tests, ...inTests], { inTests: true })
  const known = new Set([...started].flatMap((path) => (tested.has(path) ? languageOf(path) : [])))
  const named = [...tests].flatMap((test) =>
    [...(graph.loads.get(test) ?? [])].filter((path) => !tests.has(path) && isNamedFor(test, path)),
  )
  const assumed = named.filter((path) => !languageOf(path).some((each) => known.has(each)) && !isToolOfTests(path))
  const all = new Set([...loaded, ...[...tests].flatMap((test) => [...(graph.loads.get(test) ?? [])])])
  const alone = [...graph.modules].filter(
    (path) => !all.has(path) && !tests.has(path) && !isToolOfTests(path) && guardedBy(path, []) === null,
  )
  const product = reachedBy(graph, [...entries, ...assumed, ...alone])
  return { tree, graph, tests, product, started, known, tested }
}

type Language = 'script' | 'python' | 'go' | 'c'

function languageOf(path: string): readonly Language[] {
  if (isScript(path)) return ['script']
  if (isPython(path)) return ['python']
  return isGo(path) ? ['go'] : isC(path) ? ['c'] : []
}

/** True if a file that nothing loads has tests and no code of its own to test. */
function isOnlyTests(tree: ModuleTree, { loads, entries }: ModuleGraph, path: string): boolean {
  const text = tree.text(path)
  if (!(isScript(path) || isPython(path) || isCSource(path)) || countAssertions(text, path) === 0) return false
  if (isCSource(path)) {
    const isOfChecks = (each: string) => isToolOfTests(each) && definesChecks(tree, each)
    const usesChecks = [...(loads.get(path) ?? [])].some(isOfChecks)
    return hasMain(tree, path) && (isToolOfTests(path) || (usesChecks && stemOf(path) !== 'main'))
  }
  const own = `${folderOf(path)}/__init__.py`
  const loadsOthers = [...(loads.get(path) ?? [])].some((each) => each !== own && !isTestFile(each))
  if (isToolOfTests(path) && loadsOthers && !entries.has(path)) return true
  if (!bearsJudging(tree, path) || declaredTests(text, path).length === 0 || !loadsOthers) return false
  let rest = text
  for (const { start, end } of testParts(path, text).toReversed()) rest = rest.slice(0, start) + rest.slice(end)
  return !(isPython(path) ? /^(?:async[ \t]+)?(?:def|class)[ \t]+[a-z]/im : /^export\b|\bmodule\.exports\b/m).test(rest)
}

/**
 * `sure`: a test tool and nothing else, beside a known product in its language. `likely`:
 * apparently only tests load it.
 */
export type Judging = 'sure' | 'likely'

/**
 * Decides if a file judges: tests reach it, and no entry point of the product does. Without known
 * entry points the file could also be the tested code.
 */
export function judgingOf(uses: Uses, path: string): Judging | null {
  if (uses.tests.has(path)) return 'sure'
  const judging = judgingByUse(uses, path)
  // A header of macros may be the product, and without a known product so may any file that
  // apparently only tests load.
  return judging === 'sure' && (isC(path) || !hasProduct(uses, path)) ? 'likely' : judging
}

/** True if product files in the language of a file are known: started, or reached by tests. */
function hasProduct({ product, started, tested }: Uses, path: string): boolean {
  const own = languageOf(path)
  const isAlike = (each: string) => (isRust(path) ? isRust(each) : languageOf(each).some((one) => own.includes(one)))
  return [...product].some((each) => (started.has(each) || tested.has(each)) && isAlike(each))
}

function judgingByUse(uses: Uses, path: string): Judging | null {
  const { tree, graph, tests, product, known, tested } = uses
  if (!graph.modules.has(path) || product.has(path) || !tested.has(path)) return null
  if (isRust(path)) return 'sure'
  const loaders = [...tests].filter((test) => graph.loads.get(test)?.has(path))
  const isPaired = (each: string) => loaders.some((test) => isNamedFor(test, each))
  if (!isPaired(path) && bearsJudging(tree, path)) return 'sure'
  // A tool that loads the product may be part of it, without a known entry point.
  if ([...reachedBy(graph, [path])].some((each) => product.has(each) && !each.endsWith('__init__.py'))) return null
  if (!isPaired(path) && isToolOfTests(path)) return 'sure'
  if (languageOf(path).some((each) => known.has(each))) return 'likely'
  if (isPaired(path)) return null
  if (definesChecks(tree, path)) return 'likely'
  // True if the test also loads the module that it is named for.
  const isBeside = (test: string) =>
    [...(graph.loads.get(test) ?? [])].some((each) => each !== path && !tests.has(each) && isNamedFor(test, each))
  return loaders.length > 0 && loaders.every(isBeside) ? 'likely' : null
}

/**
 * True if a test is named for a source: `median.test.js`, `test_median.py` and `median_test.go` are
 * tests of `median`.
 */
function isNamedFor(test: string, path: string): boolean {
  const bare = (name: string) => stemOf(name).toLowerCase().replace(/[-_]/g, '')
  const [name, own] = [bare(test), bare(path)]
  const isIndex = /^(?:index|init|mod|main)$/.test(own.replace(/_/g, ''))
  const subject = isIndex ? bare(folderOf(path).split('/').at(-1) ?? '') : own
  return subject !== '' && name.replace(/^(?:tests?|check|spec)|(?:tests?|check|spec)$/g, '') === subject
}
