import type { CodeSyntax } from '../code-syntax.ts'

/** The tokens of code without comments; a formatter changes none of them. */
export function tokensOf(lines: readonly string[], { language }: Pick<CodeSyntax, 'language'>): readonly string[] {
  const isQuoted = language === 'script' || language === 'python'
  const tokens = lines
    .join('\n')
    .match(/[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\s]/gu)
  const all = (tokens ?? []).map((each) => (isQuoted && /^"[^'"\\]*"$/.test(each) ? `'${each.slice(1, -1)}'` : each))
  return all.filter((each, i) => {
    if (each === ';') return language !== 'script'
    return each !== ',' || !/^[)\]}]$/.test(all[i + 1] ?? '')
  })
}

const isName = (token: string) => /^[\p{L}_$]/u.test(token)

/** A hunk's old and new tokens. */
interface TwoVersions {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const declaring =
  /^(?:const|let|var|function|class|def|fn|func|type|struct|enum|interface|mut|for|as|static|trait|mod|import)$/
const notType =
  /^(?:return|await|new|yield|not|in|is|and|or|if|elif|else|case|throw|raise|typeof|delete|del|go|defer|match|while|assert|from|of)$/

/**
 * Finds renamings: the old name by the new one. A hunk of a renaming differs in names only, and
 * each old name has the same new one everywhere.
 */
export function renamesIn(hunks: readonly TwoVersions[], all: TwoVersions): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const refused = new Set<string>()
  const [old, now] = [new Set(all.before), new Set(all.after)]
  for (const { before, after } of hunks) {
    if (before.length !== after.length) continue
    const pairs = before.flatMap((was, i) => (was === after[i] ? [] : [[was, after[i] ?? ''] as const]))
    if (!pairs.every(([was, is]) => isName(was) && isName(is))) continue
    for (const [was, is] of pairs) {
      const known = found.get(is)
      if (old.has(is) || now.has(was) || (known !== undefined && known !== was)) refused.add(is)
      found.set(is, was)
    }
  }
  const declared = declaredIn(all.after)
  return new Map([...found].filter(([is]) => !refused.has(is) && declared.has(is)))
}

function declaredIn(tokens: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>()
  let isHead = false
  for (const [i, token] of tokens.entries()) {
    if (/^(?:def|fn|func|function|lambda)$/.test(token)) isHead = true
    if (/^[{;]$/.test(token) || (token === ':' && tokens[i - 1] === ')')) isHead = false
    if (!isName(token)) continue
    const [before = '', after = '', then = ''] = [tokens[i - 1], tokens[i + 1], tokens[i + 2]]
    const isAssigned = (after === '=' && then !== '=') || (after === ':' && then === '=')
    const isTyped = isName(before) && !notType.test(before)
    const isParameter = isHead && /^[(,]$/.test(before)
    const isArrowed = /^[(,]$/.test(before) && /^[,)]$/.test(after) && hasArrow(tokens, i)
    if (before !== '.' && (declaring.test(before) || isAssigned || isTyped || isParameter || isArrowed))
      names.add(token)
  }
  return names
}

function hasArrow(tokens: readonly string[], from: number): boolean {
  const close = tokens.indexOf(')', from)
  return close > 0 && tokens[close + 1] === '=' && tokens[close + 2] === '>'
}

export function isSameTokens({ before, after }: TwoVersions, renames: ReadonlyMap<string, string>): boolean {
  return before.length === after.length && before.every((was, i) => was === (renames.get(after[i] ?? '') ?? after[i]))
}
