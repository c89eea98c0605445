import type { ChangeData } from 'react-diff-view'
import { refractor } from 'refractor'
import type { Chunk } from './diff-rows.ts'

const languages: Readonly<Record<string, string>> = {
  bash: 'bash',
  c: 'c',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  go: 'go',
  h: 'c',
  hpp: 'cpp',
  html: 'markup',
  java: 'java',
  js: 'javascript',
  json: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  less: 'less',
  lua: 'lua',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  scss: 'scss',
  sh: 'bash',
  sql: 'sql',
  svg: 'markup',
  swift: 'swift',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  xml: 'markup',
  yaml: 'yaml',
  yml: 'yaml',
}

/** Chunks with more characters are not highlighted, since that would take too long. */
const mostChars = 20_000

/** A part of a line in one colour. */
export interface Piece {
  readonly text: string
  /** The highlighter's class; empty for plain text. */
  readonly className: string
  /** True if the part differs from the line that it replaces, or that replaces it. */
  readonly isEdit: boolean
}

type Line = readonly Piece[]

const known = new WeakMap<Chunk, readonly Line[]>()

/** The highlighted lines of a chunk, computed when the first of them becomes visible. */
export function tokensOf(chunk: Chunk): readonly Line[] {
  const before = known.get(chunk)
  if (before) return before
  const lines = coloured(chunk)
  known.set(chunk, lines)
  return lines
}

function coloured({ file, changes }: Chunk): readonly Line[] {
  const plain = changes.map(({ content }): Line => [{ text: content, className: '', isEdit: false }])
  if (changes.reduce((sum, { content }) => sum + content.length, 0) > mostChars) return plain
  const language = languages[file.path.split('.').at(-1)?.toLowerCase() ?? ''] ?? ''
  const edits = editsOf(changes)
  // Each side is highlighted as a whole, since strings and comments may span several lines.
  const sides = { insert: sideOf(changes, 'delete', language), delete: sideOf(changes, 'insert', language) }
  return changes.map((change, i) => {
    const side = change.type === 'delete' ? sides.delete : sides.insert
    return marked(side.get(change) ?? plain[i] ?? [], edits.get(change))
  })
}

/** The lines of one side by their changes: all except those of the other side only. */
function sideOf(
  changes: readonly ChangeData[],
  other: 'insert' | 'delete',
  language: string,
): ReadonlyMap<ChangeData, Line> {
  const own = changes.filter(({ type }) => type !== other)
  const isNeeded = own.some(({ type }) => type !== 'normal') || other === 'delete'
  if (!isNeeded || !refractor.registered(language)) return new Map()
  try {
    const text = own.map(({ content }) => content).join('\n')
    const lines = linesOf(refractor.highlight(text, language).children)
    return lines.length === own.length ? new Map(own.map((change, i) => [change, lines[i] ?? []])) : new Map()
  } catch {
    // A grammar that fails on unusual text costs only the colours.
    return new Map()
  }
}

type Node = ReturnType<typeof refractor.highlight>['children'][number]

function linesOf(nodes: readonly Node[]): readonly Line[] {
  const lines: Piece[][] = [[]]
  const walk = (node: Node, className: string): void => {
    if (node.type === 'element') {
      const own = node.properties.className
      const name = Array.isArray(own) ? own.join(' ') : className
      for (const child of node.children) walk(child as Node, name)
    } else if (node.type === 'text') {
      for (const [i, text] of node.value.split('\n').entries()) {
        if (i > 0) lines.push([])
        if (text !== '') lines.at(-1)?.push({ text, className, isEdit: false })
      }
    }
  }
  for (const node of nodes) walk(node, '')
  return lines
}

type Range = readonly [start: number, end: number]

/** The differing ranges of consecutive removed and added lines, paired in order. */
function editsOf(changes: readonly ChangeData[]): ReadonlyMap<ChangeData, Range> {
  const edits = new Map<ChangeData, Range>()
  for (let at = 0; at < changes.length; ) {
    const removed = runFrom(changes, at, 'delete')
    const added = runFrom(changes, at + removed.length, 'insert')
    for (const [i, before] of removed.entries()) {
      const after = added[i]
      if (after) for (const [change, range] of difference(before, after)) edits.set(change, range)
    }
    at += Math.max(1, removed.length + added.length)
  }
  return edits
}

function runFrom(changes: readonly ChangeData[], start: number, type: ChangeData['type']): readonly ChangeData[] {
  let end = start
  while (changes[end]?.type === type) end += 1
  return changes.slice(start, end)
}

/** Empty for lines that share less than a third. */
function difference(before: ChangeData, after: ChangeData): readonly (readonly [ChangeData, Range])[] {
  const [a, b] = [before.content, after.content]
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start += 1
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  if (3 * (start + end) < shorter) return []
  // Characters outside of ASCII, such as emoji, are not split.
  while (start > 0 && isJoined(a, start) && isJoined(b, start)) start -= 1
  while (end > 0 && isJoined(a, a.length - end) && isJoined(b, b.length - end)) end -= 1
  return [
    [before, [start, a.length - end]],
    [after, [start, b.length - end]],
  ]
}

/** True if non-ASCII characters are on both sides of a position. */
function isJoined(text: string, at: number): boolean {
  return /^[^\0-\x7f]{2}$/.test(text.slice(at - 1, at + 1))
}

function marked(line: Line, range: Range | undefined): Line {
  if (range === undefined || range[0] >= range[1]) return line
  let at = 0
  return line.flatMap((piece) => {
    const from = at
    at += piece.text.length
    const cut = (place: number) => Math.min(Math.max(place - from, 0), piece.text.length)
    const [start, end] = [cut(range[0]), cut(range[1])]
    const parts = [
      { ...piece, text: piece.text.slice(0, start) },
      { ...piece, text: piece.text.slice(start, end), isEdit: true },
      { ...piece, text: piece.text.slice(end) },
    ]
    return parts.filter(({ text }) => text !== '')
  })
}
