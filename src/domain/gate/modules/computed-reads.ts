import { isProgram } from '../file-kind.ts'
import { embedsOfGo } from './go-modules.ts'
import type { ModuleTree } from './module-tree.ts'
import { folderOf, foldersAbove } from './paths.ts'
import { isScript } from './script-modules.ts'
import { judgingOf, type Uses } from './uses.ts'

interface DataQuery {
  readonly uses: Uses
  /** True for builds and scripts of the repository itself. */
  readonly isConfig: (path: string) => boolean
}

/**
 * True if a data file may belong to the product without being named: if the tree has no program of
 * a product, the data is the product. Otherwise a program in or above its folder may compute its
 * name, and a file that nobody names may be read by any product module that computes names.
 */
export function mayBeProductData(asked: DataQuery, path: string, isNamed: boolean): boolean {
  const { tree } = asked.uses
  const product = programsOf(asked)
  if (product.length === 0) return true
  const above = foldersAbove(folderOf(path))
  return product.some((each) => {
    const folder = folderOf(each)
    if (!asked.uses.graph.modules.has(each)) return !isNamed && folder !== '' && above.includes(folder)
    if (isNamed && !above.includes(folder)) return false
    const reads = computedReads(tree, each)
    return folder === above[0] || !isNamed ? reads.length > 0 : reads.some(({ isFromOwnPlace }) => isFromOwnPlace)
  })
}

/** The programs of the product, cached by change and tree. */
const known = new WeakMap<DataQuery['isConfig'], WeakMap<Uses, readonly string[]>>()

function programsOf(asked: DataQuery): readonly string[] {
  const { uses, isConfig } = asked
  const all = known.get(isConfig) ?? new WeakMap<Uses, readonly string[]>()
  known.set(isConfig, all)
  const found = all.get(uses) ?? uses.tree.paths.filter((path) => isProductProgram(asked, path))
  all.set(uses, found)
  return found
}

function isProductProgram({ uses, isConfig }: DataQuery, path: string): boolean {
  const isCode = isProgram(path) || uses.graph.modules.has(path)
  return isCode && !isConfig(path) && !uses.tests.has(path) && judgingOf(uses, path) === null
}

interface ComputedRead {
  /** True if the read starts from the folder of its module, not from the caller's folder. */
  readonly isFromOwnPlace: boolean
}

const read =
  /(?<!["'][ \t]*\)[ \t]*\.)\b(require|import|import_module|__import__|get_data|(?:read|create_?read|open)(?:_?(?:file|dir|text|bytes|to_string|stream|json))?(?:sync)?|fopen|ifstream|listdir|scandir|iterdir|i?r?glob(?:sync)?|walk(?:dir)?)[ \t]*\(/gi

const ownPlace = /__dirname|__filename|__file__|__package__|import\.meta|CARGO_MANIFEST_DIR|runtime\.Caller/

const readsOf = new WeakMap<ModuleTree, Map<string, readonly ComputedRead[]>>()

function computedReads(tree: ModuleTree, path: string): readonly ComputedRead[] {
  const all = readsOf.get(tree) ?? new Map<string, readonly ComputedRead[]>()
  readsOf.set(tree, all)
  const found = all.get(path) ?? computedReadsIn(tree, path)
  all.set(path, found)
  return found
}

/** The calls of a module that read or load a file whose name is computed. */
function computedReadsIn(tree: ModuleTree, path: string): readonly ComputedRead[] {
  const [code, text] = [tree.code(path), tree.uncommented(path)]
  const isFromOwnPlace = ownPlace.test(code)
  const found: ComputedRead[] = []
  if (embedsOfGo(tree, path).some((name) => name.includes('*'))) found.push({ isFromOwnPlace: true })
  for (const { index, 0: call, 1: name = '' } of code.matchAll(read)) {
    if (/\b(?:function|def|fn|func)[ \t]+$/.test(code.slice(Math.max(0, index - 12), index))) continue
    // The brackets after `import` hold names in Python and Go.
    if (name === 'import' && !isScript(path)) continue
    const start = index + call.length
    const words = text.slice(start, endOf(code, start))
    if (isWritten(words)) continue
    found.push({ isFromOwnPlace: isFromOwnPlace || /^(?:require|import|import_module|__import__)$/.test(name) })
  }
  return found
}

/** True if the arguments of a call name a file in full. */
function isWritten(words: string): boolean {
  if (/[$]\{|%[sd]|\+|\bf["'].*\{|\.format\b/.test(words)) return false
  const isOneName = /^\s*["'`][^"'`*]*["'`]\s*(?:,|$)/.test(words)
  return isOneName || /["'`/][^"'`*/]*[\w-]\.\w+["'`]/.test(words)
}

/** The end of the arguments that start at a place. */
function endOf(code: string, start: number): number {
  let depth = 1
  for (let at = start; at < code.length; at += 1) {
    if (code[at] === '(') depth += 1
    else if (code[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return code.length
}
