import type { CodeBlock, CodeBlocks } from './code-block.ts'
import { bracketStarts, type Ends, headerBefore } from './header.ts'
import { outerFirst } from './script-blocks.ts'
import { guarded, labelled } from './statements.ts'

/**
 * The meaning of a brace: `no` for a list of values or declarations, `closed` for a part where no
 * probe can stand.
 */
type Kind = 'function' | 'branch' | 'cases' | 'no' | 'closed'

interface Language {
  readonly ends: Ends
  readonly kindOf: (words: string, after: string) => Kind
  readonly probe: 'statement' | 'declaration'
  /** True if an `if` may have no braces. */
  readonly hasGuards: boolean
  readonly cases: 'labels' | 'arms'
}

export function goBlocks(code: string): CodeBlocks {
  return braceBlocks(code, go)
}

export function rustBlocks(code: string): CodeBlocks {
  return braceBlocks(code, rust)
}

export function cBlocks(code: string): CodeBlocks {
  const blank = (line: string) => line.replaceAll(/[^\n]/g, ' ')
  // Brackets in preprocessor lines do not pair with those of the code.
  return braceBlocks(code.replaceAll(/^[ \t]*#(?:[^\n\\]|\\[^\n]|\\\n)*/gm, blank), c)
}

function braceBlocks(code: string, language: Language): CodeBlocks {
  const { ends, starts } = bracketStarts(code)
  const blocks: CodeBlock[] = []
  let closed = 0
  for (let at = code.indexOf('{'); at >= 0; at = code.indexOf('{', at + 1)) {
    const end = ends[at] ?? 0
    if (end === 0) continue
    const { from, words } = headerBefore(code, { starts, at, ...language.ends })
    const kind = language.kindOf(words, code.slice(end + 1, end + 20))
    if (kind === 'closed') closed = Math.max(closed, end)
    const own = { from, start: at + 1, end }
    if (kind === 'function' || kind === 'branch' || kind === 'closed') {
      const probe = at <= closed ? null : ({ form: language.probe, at: at + 1 } as const)
      blocks.push({ ...own, isFunction: kind === 'function', probe })
    } else if (kind === 'cases') {
      const parts = (language.cases === 'arms' ? arms : labelled)(code, { ends, within: own })
      blocks.push(...parts.map((each) => (at <= closed ? { ...each, probe: null } : each)))
    }
  }
  if (language.hasGuards) blocks.push(...guarded(code, { ends, byLine: false }))
  return { blocks: blocks.toSorted(outerFirst), module: null }
}

const go: Language = {
  ends: { stops: '{}([', byLine: true },
  probe: 'statement',
  hasGuards: false,
  cases: 'labels',
  kindOf(words, after) {
    // A brace before the body opens a list, as in `for _, each := range []int{1, 2} {`.
    if (/^ *\{/.test(after) || /\b(?:struct|interface)$/.test(words)) return 'no'
    if (/\bfunc\b/.test(words)) return /\]\s*func\b[^{]*$/.test(words) ? 'no' : 'function'
    const own = words.replace(/^\w+:\s*(?=for|switch|select)/, '')
    if (/^(?:switch|select)\b/.test(own)) return 'cases'
    return /^(?:if|for|else)\b/.test(own) ? 'branch' : 'no'
  },
}

const rust: Language = {
  ends: { stops: ';{}([', byLine: false },
  probe: 'statement',
  hasGuards: false,
  cases: 'arms',
  kindOf(words) {
    if (/\w!\s*(?:\w+)?$/.test(words)) return 'closed'
    if (/=>$/.test(words)) return 'branch'
    if (/\bfn\s+\w/.test(words)) return /\bconst\s+(?:unsafe\s+)?(?:extern\s+)?fn\b/.test(words) ? 'closed' : 'function'
    const item = words.replace(/^(?:#!?\[\]\s*)+/, '').replace(/^pub(?:\s*\(\))?\s+/, '')
    if (/^(?:unsafe\s+)?(?:impl|trait|mod|struct|enum|union|extern|use)\b/.test(item)) return 'no'
    if (/^(?:static|const)\b/.test(item)) return 'closed'
    if (/\|(?:\s*->[^|]*)?$/.test(words)) return 'function'
    // The braces belong to a pattern.
    if (/\blet\b[^=]*$/.test(words) || (/\bfor\b/.test(words) && !/\bin\b/.test(words))) return 'no'
    const [word] = [...words.matchAll(/\b(?:match|if|else|while|for|loop|unsafe|async)\b/g)].at(-1) ?? []
    if (word === undefined) return 'no'
    return word === 'match' ? 'cases' : 'branch'
  },
}

const c: Language = {
  ends: { stops: ';{}([', byLine: false },
  probe: 'declaration',
  hasGuards: true,
  cases: 'labels',
  kindOf(said) {
    const words = said.replace(/^(?:(?:public|private|protected|default|case [^:]*):(?!:)\s*)+/, '')
    if (/\b(?:constexpr|consteval)\b/.test(words)) return 'closed'
    if (/\b(?:else|do|try)$/.test(words)) return 'branch'
    if (
      /^(?:(?:typedef|static|const|extern|template\s*<.*>)\s*)*(?:struct|class|enum|union|namespace)\b[^()]*$/.test(
        words,
      )
    )
      return 'no'
    const bare = words.replace(/(?:\s*__attribute__\s*\(\))+$/, '')
    if (/\)\s*(?:const|noexcept|override|final|mutable|volatile|&|->\s*[\w:<>*& ]+)(?:\s|$)/.test(bare))
      return 'function'
    const before = /^(.*?)\s*\(\)$/.exec(bare)?.[1]
    if (before === undefined) return 'no'
    if (/\bswitch$/.test(before)) return 'cases'
    if (/\b(?:if|for|while|catch)$/.test(before)) return 'branch'
    // A compound literal is excluded, such as `(struct point){1, 2}`.
    return /(?:[\w\]>]|operator\W{1,3})$/.test(before) && !/\b(?:return|sizeof)$/.test(before) ? 'function' : 'no'
  },
}

/** The values behind the arrows of a `match`. */
function arms(
  code: string,
  { ends, within }: { readonly ends: Int32Array; readonly within: { readonly start: number; readonly end: number } },
): readonly CodeBlock[] {
  const found: CodeBlock[] = []
  let from = within.start
  for (let at = within.start; at < within.end; at += 1) {
    const end = ends[at] ?? 0
    if (end > 0) at = end
    else if (code.charAt(at) === ',') from = at + 1
    else if (code.startsWith('=>', at)) {
      const start = at + 2 + (/^\s*/.exec(code.slice(at + 2, at + 500))?.[0].length ?? 0)
      if (code.charAt(start) === '{') {
        at = start - 1
        continue
      }
      let until = start
      while (until < within.end && code.charAt(until) !== ',') until = Math.max(until, ends[until] ?? 0) + 1
      const head = from + (/^\s*/.exec(code.slice(from, start))?.[0].length ?? 0)
      found.push({ from: head, start, end: until, isFunction: false, probe: { form: 'arm', at: start, until } })
      at = until - 1
    }
  }
  return found
}
