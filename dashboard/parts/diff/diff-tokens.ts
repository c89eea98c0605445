import { type ChangeData, type HunkData, markEdits, type TokenNode, tokenize } from 'react-diff-view'
import { refractor } from 'refractor'
import type { Chunk } from './diff-files.ts'

type Refractor = typeof refractor

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

/** Characters of a chunk above which its colours take longer than they help. */
const mostChars = 20_000

export type LineTokens = readonly TokenNode[]

const known = new WeakMap<Chunk, readonly (LineTokens | null)[]>()

/** The colours of the lines of a chunk, made when the first of them is seen; null for none. */
export function tokensOf(chunk: Chunk): readonly (LineTokens | null)[] {
  const before = known.get(chunk)
  if (before) return before
  const tokens = coloured(chunk)
  known.set(chunk, tokens)
  return tokens
}

function coloured({ file, changes }: Chunk): readonly (LineTokens | null)[] {
  const none = changes.map(() => null)
  if (changes.reduce((sum, { content }) => sum + content.length, 0) > mostChars) return none
  const path = file.type === 'delete' ? file.oldPath : file.newPath
  const language = languages[path.split('.').at(-1)?.toLowerCase() ?? '']
  const hunk = counted(changes)
  const enhancers = [markEdits([hunk], { type: 'line' })]
  const isKnown = language !== undefined && refractor.registered(language)
  try {
    const sides = tokenize(
      [hunk],
      isKnown ? { highlight: true, language, refractor: nodesOf(refractor), enhancers } : { enhancers },
    )
    return hunk.changes.map((change) => {
      if (change.type === 'delete') return sides.old[change.lineNumber - 1] ?? null
      return sides.new[(change.type === 'insert' ? change.lineNumber : change.newLineNumber) - 1] ?? null
    })
  } catch {
    // A grammar that fails on odd text costs the colours, not the diff.
    return none
  }
}

/** The lines as a hunk of their own, counted from 1: what is before them has no colours. */
function counted(changes: readonly ChangeData[]): HunkData {
  let [oldLine, newLine] = [0, 0]
  const own = changes.map((change): ChangeData => {
    if (change.type !== 'insert') oldLine += 1
    if (change.type !== 'delete') newLine += 1
    if (change.type === 'normal') return { ...change, oldLineNumber: oldLine, newLineNumber: newLine }
    return { ...change, lineNumber: change.type === 'insert' ? newLine : oldLine }
  })
  return { content: '', changes: own, oldStart: 1, newStart: 1, oldLines: oldLine, newLines: newLine }
}

/** The diff viewer wants the nodes that older releases of the highlighter returned. */
function nodesOf(highlighter: Refractor) {
  return {
    highlight: (text: string, language: string) => highlighter.highlight(text, language).children,
  } as unknown as { highlight: Refractor['highlight'] }
}
