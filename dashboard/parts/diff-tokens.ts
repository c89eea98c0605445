import { type FileData, type HunkTokens, markEdits, tokenize } from 'react-diff-view'
import type { refractor } from 'refractor'

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

/** Characters of a file above which its colours take longer than they help. */
const mostChars = 200_000

/** The colours of a file's lines; null where there are none for it. */
export function tokensOf(file: FileData, highlighter: Refractor): HunkTokens | null {
  const path = file.type === 'delete' ? file.oldPath : file.newPath
  const language = languages[path.split('.').at(-1)?.toLowerCase() ?? '']
  const chars = file.hunks.reduce(
    (sum, { changes }) => sum + changes.reduce((n, { content }) => n + content.length, 0),
    0,
  )
  if (chars > mostChars) return null
  const enhancers = [markEdits(file.hunks, { type: 'line' })]
  try {
    if (language === undefined || !highlighter.registered(language)) return tokenize(file.hunks, { enhancers })
    return tokenize(file.hunks, { highlight: true, language, refractor: nodesOf(highlighter), enhancers })
  } catch {
    // A grammar that fails on odd text costs the colours, not the diff.
    return null
  }
}

/** The diff viewer wants the nodes that older releases of the highlighter returned. */
function nodesOf(highlighter: Refractor) {
  return {
    highlight: (text: string, language: string) => highlighter.highlight(text, language).children,
  } as unknown as { highlight: Refractor['highlight'] }
}
