/**
 * The rules by which a language separates code from comments and strings, as far as finding
 * assertions needs them.
 */
export interface CodeSyntax {
  readonly language: Language
  /** Markers of a comment up to the end of its line. */
  readonly lineComments: readonly string[]
  /** `/*` comments; in some languages they nest. */
  readonly blockComments: 'none' | 'flat' | 'nested'
  /**
   * Quotes, longest first. Some strings span lines; in some, a backslash is an ordinary character.
   */
  readonly quotes: readonly Quote[]
  /** True for languages with `${…}` in backticks, and with regular expressions between slashes. */
  readonly hasTemplates: boolean
  /** Matches the announcement of a text that ends with a line of its own. */
  readonly heredoc: RegExp | null
}

interface Quote {
  readonly mark: string
  readonly spansLines?: boolean
  readonly isRaw?: boolean
}

export type Language =
  | 'script'
  | 'python'
  | 'ruby'
  | 'php'
  | 'go'
  | 'rust'
  | 'elixir'
  | 'c-like'
  | 'perl'
  | 'shell'
  | 'haskell'

const [double, single]: readonly [Quote, Quote] = [{ mark: '"' }, { mark: "'" }]
const long: Quote = { mark: '"""', spansLines: true }
const slashes = { lineComments: ['//'], blockComments: 'flat', hasTemplates: false, heredoc: null } as const
const hashes = { lineComments: ['#'], blockComments: 'none', hasTemplates: false, heredoc: null } as const

const syntaxes: Readonly<Record<Language, CodeSyntax>> = {
  script: { ...slashes, language: 'script', quotes: [double, single], hasTemplates: true },
  python: { ...hashes, language: 'python', quotes: [long, { mark: "'''", spansLines: true }, double, single] },
  ruby: {
    ...hashes,
    language: 'ruby',
    heredoc: /<<[~-]?(["'`]?)([A-Z_]\w*)\1/y,
    quotes: [
      { mark: '"', spansLines: true },
      { mark: "'", spansLines: true },
    ],
  },
  php: {
    ...slashes,
    language: 'php',
    lineComments: ['//', '#'],
    heredoc: /<<<[ \t]*(["']?)([A-Za-z_]\w*)\1/y,
    quotes: [
      { mark: '"', spansLines: true },
      { mark: "'", spansLines: true },
    ],
  },
  go: { ...slashes, language: 'go', quotes: [{ mark: '`', spansLines: true, isRaw: true }, double, single] },
  rust: { ...slashes, language: 'rust', blockComments: 'nested', quotes: [{ mark: '"', spansLines: true }] },
  elixir: { ...hashes, language: 'elixir', quotes: [long, double, single] },
  'c-like': { ...slashes, language: 'c-like', quotes: [long, double, single] },
  perl: { ...hashes, language: 'perl', quotes: [double, single] },
  shell: {
    ...hashes,
    language: 'shell',
    quotes: [
      { mark: '"', spansLines: true },
      { mark: "'", spansLines: true, isRaw: true },
    ],
  },
  // A single quote may be part of a name.
  haskell: { ...hashes, language: 'haskell', lineComments: ['--'], quotes: [double] },
}

const byExtension: readonly (readonly [RegExp, Language])[] = [
  [/\.([cm]?[jt]sx?|vue|svelte|astro|coffee)$/i, 'script'],
  [/\.(pyi?|ipynb|r|toml|ya?ml)$/i, 'python'],
  [/\.(sh|bash|bats)$/i, 'shell'],
  [/\.(p[lm]|t)$/i, 'perl'],
  [/\.l?hs$/i, 'haskell'],
  [/\.(rb|rake|feature)$|(^|\/)Rakefile$/i, 'ruby'],
  [/\.(php|phpt)$/i, 'php'],
  [/\.go$/i, 'go'],
  [/\.rs$/i, 'rust'],
  [/\.exs?$/i, 'elixir'],
  [/\.(java|kts?|scala|groovy|gradle|swift|cs|fs|cc?|cpp|cxx|hh?|hpp|mm?|dart|zig)$/i, 'c-like'],
]

const byText: readonly (readonly [RegExp, Language])[] = [
  [/^<\?php\b/, 'php'],
  [/^package \w+[ \t]*$/m, 'go'],
  [/^[ \t]*(?:#!?\[|(?:pub )?(?:mod|fn) \w)/m, 'rust'],
  [/^[ \t]*(?:(?:async )?def \w+\(.*\).*:|class \w+.*:|from [\w.]+ import\b|import [\w.]+)[ \t]*$/m, 'python'],
  [/^[ \t]*(?:assert|self\.assert\w*)\b(?![ \t]*[.(!])/m, 'python'],
  [/^[ \t]*(?:require\w* ['"]|(?:RSpec\.)?describe .* do$|def \w+[?!]?$|end$)/m, 'ruby'],
]

/** The syntax of a file, by its name; if the name is unknown, by its text. */
export function syntaxOf(path: string, text: string): CodeSyntax {
  const head = text.slice(0, 8_192)
  const language =
    byExtension.find(([name]) => name.test(path))?.[1] ?? byText.find(([look]) => look.test(head))?.[1] ?? 'script'
  return syntaxes[language]
}

/** True if the extension of a file is that of code. */
export function isCode(path: string): boolean {
  return byExtension.some(([name]) => name.test(path))
}

/** True if two texts differ only in ways that a formatter changes. */
export function isSameCode(before: string, after: string, path: string): boolean {
  const isIndented = syntaxOf(path, after).language === 'python'
  const bare = (text: string) =>
    text.replace(isIndented ? /[ \t]*\r?$|\n(?=\n)/gm : /[\s;,()]/g, '').replaceAll('"', "'")
  return bare(before) === bare(after)
}
