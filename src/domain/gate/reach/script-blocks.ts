import type { CodeBlock, CodeBlocks } from './code-block.ts'
import { bracketStarts, headerBefore } from './header.ts'
import { guarded, labelled } from './statements.ts'

/** The bodies and branches of a script with masked comments, strings and types. */
export function scriptBlocks(code: string): CodeBlocks {
  const { ends, starts } = bracketStarts(code)
  const blocks: CodeBlock[] = []
  for (let at = code.indexOf('{'); at >= 0; at = code.indexOf('{', at + 1)) {
    const end = ends[at] ?? 0
    if (end === 0) continue
    const { from, words } = headerBefore(code, { starts, at, ...lines })
    const kind = kindOf(words)
    const own = { from, start: at + 1, end }
    if (kind === 'cases') blocks.push(...labelled(code, { ends, within: own }))
    else if (kind !== null) {
      const isCallback = words.endsWith('=>') && !isNamed(code, starts, code.lastIndexOf('=>', at))
      const probe = { form: 'statement', at: at + 1 } as const
      blocks.push({ ...own, isFunction: kind === 'function', ...(isCallback && { isCallback }), probe })
    }
  }
  for (const { index } of code.matchAll(/=>(?=\s*[^\s{])/g)) {
    const start = index + 2 + (/^\s*/.exec(code.slice(index + 2, index + 500))?.[0].length ?? 0)
    const own = { start, end: endOfExpression(code, { ends, start }) }
    const { from } = headerBefore(code, { starts, at: index, ...lines })
    const isCallback = !isNamed(code, starts, index)
    blocks.push({
      ...own,
      from,
      isFunction: true,
      ...(isCallback && { isCallback }),
      probe: { form: 'value', at: start },
    })
  }
  blocks.push(...guarded(code, { ends, byLine: true }))
  const head = /^(?:#![^\n]*\n)?(?:\s*(?:"[^"\n]*"|'[^'\n]*')[ \t]*(?:;|\n))*/.exec(code)?.[0] ?? ''
  // Imports run first, wherever they stand.
  const last = [...code.matchAll(/^import\b(?!\s*\()[^;'"]*(?:'[^'\n]*'|"[^"\n]*")[^\n]*\n/gm)].at(-1)
  const at = last === undefined ? head.length : last.index + last[0].length
  return { blocks: blocks.toSorted(outerFirst), module: { form: 'line', at, indent: '' } }
}

const lines = { stops: ';{}([,', byLine: true }

export const outerFirst = (one: CodeBlock, other: CodeBlock): number => one.start - other.start || other.end - one.end

function kindOf(words: string): 'function' | 'branch' | 'cases' | null {
  if (words.endsWith('=>')) return 'function'
  if (words.endsWith(')')) {
    const before = words.replace(/\(\)$/, '').trim()
    if (/\bclass\b.*\bextends\b/.test(words)) return null
    if (/(?:^|[^.\w$])switch$/.test(before)) return 'cases'
    if (/(?:^|[^.\w$])(?:if|for|await|while|with|catch)$/.test(before)) return 'branch'
    return /[\w$\])*]$/.test(before) ? 'function' : null
  }
  return /(?:^|[^.\w$])(?:else|try|finally|do|catch)$/.test(words) ? 'branch' : null
}

/** True if an arrow function is assigned, or is the value of a key. */
function isNamed(code: string, starts: Int32Array, arrow: number): boolean {
  let at = arrow - 1
  while (at >= 0 && /\s/.test(code.charAt(at))) at -= 1
  if (code.charAt(at) === ')') at = (starts[at] ?? 0) - 1
  else while (at >= 0 && /[\w$]/.test(code.charAt(at))) at -= 1
  const before = code
    .slice(Math.max(0, at - 60), at + 1)
    .replace(/\basync\s*$/, '')
    .trimEnd()
  return /[=:]$|\bdefault$/.test(before)
}

const goesOn = /^[.?:+\-*/%&|^=<>,)\]}]|^(?:in|instanceof|of|as)\b/
const waits = /(?:[.?:+\-*/%&|^=<>,([{!]|\b(?:in|instanceof|of|await|new|typeof|return))$/

function endOfExpression(code: string, { ends, start }: { readonly ends: Int32Array; readonly start: number }): number {
  for (let at = start; at < code.length; at += 1) {
    const end = ends[at] ?? 0
    if (end > 0) {
      at = end
      continue
    }
    const character = code.charAt(at)
    if (',;)]}'.includes(character)) return at
    if (character !== '\n') continue
    const before = code.slice(Math.max(start, at - 200), at).trimEnd()
    const after = code.slice(at, at + 500).trimStart()
    if (before !== '' && !waits.test(before) && !goesOn.test(after)) return at
  }
  return code.length
}
