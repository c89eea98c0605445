import { syntaxOf } from '../../domain/gate/code-syntax.ts'
import { maskCode } from '../../domain/gate/mask-code.ts'
import { blocksOf } from '../../domain/gate/reach/blocks-of.ts'
import type { CodeBlock, ProbePlace } from '../../domain/gate/reach/code-block.ts'
import { functionName } from '../../domain/gate/reach/function-names.ts'
import { type ChangedCode, isWord } from './changed-code.ts'
import { isGlue, isPassedOn, isStart, isTrivial, namesItsError } from './trivial-code.ts'

/** Changed lines that run together, so that a test must reach one of them. */
export interface Unit {
  readonly path: string
  /** The first changed line, counted from 1. */
  readonly line: number
  readonly end: number
  /** The texts of the unit's changed lines. */
  readonly lines: readonly string[]
  readonly probe: ProbePlace | null
  /** Identifies branches that were added side by side: tests need to take one of them. */
  readonly group: string
  /** True if the unit is the whole of a named function. */
  readonly isNewFunction: boolean
}

/** The units of the changed lines; null where the language has no reader. */
export function unitsOf(changed: ChangedCode): readonly Unit[] | null {
  const file = readFile(changed)
  if (file === null) return null
  const found = new Map<CodeBlock | null, number[]>()
  for (const line of file.added.keys())
    for (const block of placesOf(file, line)) {
      if (block === 'none') continue
      found.set(block, [...(found.get(block) ?? []), line])
    }
  const hunksOfOwners = new Set<string>()
  for (const [block, lines] of found)
    for (const line of lines) hunksOfOwners.add(`${file.added.get(line)} ${block?.start ?? -1}`)
  return [...found].flatMap(([block, lines]): readonly Unit[] => {
    if (lines.every((line) => file.moved.has(line))) return []
    const place = block === null ? file.module : block.probe
    const hunk = file.added.get(lines[0] ?? 0)
    const isBranch = block !== null && !block.isFunction && isAdded(file, block)
    const outer = isBranch ? outerOf(file, block) : null
    if (block !== null && isLeftOut(file, block, hunksOfOwners.has(`${hunk} ${outer?.start ?? -1}`))) return []
    const group = isBranch ? `${file.path} ${hunk} in ${outer?.start ?? -1}` : `${file.path} ${block?.start ?? -1}`
    if (block === null && isStart(file.path, file.text, lines.length)) return []
    const texts = lines.map((line) => (file.lines.lines[line] ?? '').trim())
    const [line, end] = [(lines[0] ?? 0) + 1, (lines.at(-1) ?? 0) + 1]
    const isNewFunction = block !== null && isAdded(file, block) && functionName(file.code, block) !== null
    return [{ path: file.path, line, end, lines: texts, probe: place, group, isNewFunction }]
  })
}

interface ReadFile extends ChangedCode {
  readonly blocks: readonly CodeBlock[]
  readonly module: ProbePlace | null
  /** The text without comments and strings. */
  readonly code: string
  /** Start positions of the lines. */
  readonly starts: readonly number[]
}

function readFile(changed: ChangedCode): ReadFile | null {
  const read = blocksOf(changed.path, changed.text)
  if (read === null) return null
  const starts = [0]
  for (let at = changed.text.indexOf('\n'); at >= 0; at = changed.text.indexOf('\n', at + 1)) starts.push(at + 1)
  const code = maskCode(changed.text, syntaxOf(changed.path, changed.text))
  return { ...changed, ...read, code, starts }
}

/** The number, from 0, of the line that holds a position. */
function lineAt({ starts }: ReadFile, at: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * The blocks that an added line belongs to: the outermost added block around it, else the blocks
 * that lie within the line, else the innermost block around it; null for code outside of all
 * blocks, `none` for a line that needs no test of its own.
 */
function placesOf(file: ReadFile, line: number): readonly (CodeBlock | null | 'none')[] {
  const code = file.lines.code[line] ?? ''
  const begin = file.starts[line] ?? 0
  const first = begin + Math.max(0, code.search(isWord))
  const enclosing = file.blocks.filter((block) => holds(file, block, { first, line }))
  const inLine = file.blocks.filter(
    (block) =>
      lineAt(file, block.from) === line &&
      lineAt(file, Math.max(block.start, block.end - 1)) === line &&
      !(block.isCallback && enclosing.length > 0) &&
      isWord.test(file.text.slice(block.start, block.end)),
  )
  const outermost = inLine.filter((block) => !inLine.some((other) => other !== block && contains(other, block)))
  const owner = enclosing.find((block) => isAdded(file, block)) ?? enclosing.at(-1) ?? null
  // An added block is a single unit.
  if (owner !== null && isAdded(file, owner)) return [owner]
  if (outermost.length > 0) return outermost
  const heads = file.blocks.filter((block) => isHeader(file, block, line))
  if (heads.some((block) => block.isFunction || hasAdded(file, block, line))) return ['none']
  if (owner === null && (file.module === null || !doesSomething(code))) return ['none']
  return [owner]
}

const contains = (outer: CodeBlock, inner: CodeBlock): boolean => outer.start <= inner.start && inner.end <= outer.end

/** A value may begin on the line of its header. */
function holds(file: ReadFile, block: CodeBlock, { first, line }: { readonly first: number; readonly line: number }) {
  if (block.start <= first && first < block.end) return true
  return block.probe?.form === 'value' && lineAt(file, block.start) === line && lineAt(file, block.end - 1) > line
}

function isHeader(file: ReadFile, { from, start, end, probe }: CodeBlock, line: number): boolean {
  if (lineAt(file, from) > line || lineAt(file, Math.max(start, end - 1)) === line) return false
  const last = probe?.form === 'value' ? lineAt(file, start) - 1 : lineAt(file, start)
  return line <= last
}

function linesIn(file: ReadFile, { start, end }: Pick<CodeBlock, 'start' | 'end'>): readonly number[] {
  const [first, last] = [lineAt(file, start), lineAt(file, Math.max(start, end - 1))]
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

/** True if a block is new with its header, and not a new version of a function of that name. */
function isAdded(file: ReadFile, block: CodeBlock): boolean {
  const { from, end } = block
  if (file.known.has(functionName(file.code, block) ?? '')) return false
  const words = linesIn(file, { start: from, end }).filter((line) => isWord.test(file.lines.code[line] ?? ''))
  return words.every((line) => file.added.has(line) || file.lines.tests.has(line))
}

function hasAdded(file: ReadFile, block: CodeBlock, after: number): boolean {
  return linesIn(file, block).some((line) => line > after && file.added.has(line))
}

function outerOf(file: ReadFile, block: CodeBlock): CodeBlock | null {
  return file.blocks.findLast((each) => each !== block && contains(each, block) && each.start < block.start) ?? null
}

/** True if a line does more on load than imports, constants and other declarations. */
function doesSomething(code: string): boolean {
  if (
    /^\s*(?:@|import\b|from\b|export\s*[*{]|[}\])]|(?:export\s+|default\s+|async\s+|abstract\s+)*(?:class|def|function|interface|type|enum|declare)\b)/.test(
      code,
    )
  )
    return false
  if (/=\s*require\s*\(/.test(code)) return false
  return /[\w$)\]]\s*\(|^\s*(?:if|for|while|await|throw|raise|del|assert|with|try)\b/.test(code)
}

function isLeftOut(file: ReadFile, block: CodeBlock, isBesideOwn: boolean): boolean {
  const numbers = linesIn(file, block)
  const head = linesIn(file, { start: block.from, end: block.start }).map((line) => file.lines.code[line] ?? '')
  const above = file.lines.code[lineAt(file, block.from) - 1] ?? ''
  const own = {
    header: head.join(' '),
    above,
    body: file.text.slice(block.start, block.end),
    lines: numbers.filter((line) => isWord.test(file.lines.code[line] ?? '')).length,
  }
  if (isTrivial(file.path, own) || isGlue(own)) return true
  return (isBesideOwn || (!isAdded(file, block) && namesItsError(own))) && isPassedOn(own)
}
