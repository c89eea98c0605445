import type { Part } from '../brackets.ts'
import type { CodeBlock } from './code-block.ts'

/** The parts below the labels of a switch. */
export function labelled(
  code: string,
  { ends, within }: { readonly ends: Int32Array; readonly within: Part },
): readonly CodeBlock[] {
  const labels: Part[] = []
  for (let at = within.start; at < within.end; at += 1) {
    const end = ends[at] ?? 0
    if (end > 0) at = end
    else if (/^(?:case|default)\b/.test(code.slice(at, at + 8)) && !/[\w$.]/.test(code.charAt(at - 1))) {
      const colon = colonAfter(code, { ends, start: at, end: within.end })
      if (colon < 0) return []
      labels.push({ start: at, end: colon + 1 })
      at = colon
    }
  }
  return labels.flatMap(({ start: from, end: start }, i) => {
    const end = labels[i + 1]?.start ?? within.end
    if (code.slice(start, end).trim() === '') return []
    return { from, start, end, isFunction: false, probe: { form: 'statement', at: start } }
  })
}

function colonAfter(code: string, { ends, start, end }: Part & { readonly ends: Int32Array }): number {
  for (let at = start; at < end; at += 1) {
    const inner = ends[at] ?? 0
    if (inner > 0) at = inner
    else if (code.charAt(at) === ':') {
      if (code.charAt(at + 1) === ':') at += 1
      else if (code.charAt(at + 1) !== '=') return at
    }
  }
  return -1
}

/** The statements that an `if` without braces guards. */
export function guarded(
  code: string,
  { ends, byLine }: { readonly ends: Int32Array; readonly byLine: boolean },
): readonly CodeBlock[] {
  return [...code.matchAll(/(?<![\w$.#])if\s*(?=\()/g)].flatMap(({ index, 0: { length } }) => {
    const open = index + length
    const close = ends[open] ?? 0
    const condition = code.slice(open + 1, close)
    if (close === 0 || /;|^\s*(?:const\s+)?[\w:<>]+[\s*&]+\w+\s*=[^=]/.test(condition)) return []
    const start = close + 1 + (/^\s*/.exec(code.slice(close + 1, close + 500))?.[0].length ?? 0)
    if (code.charAt(start) === '{' || code.charAt(start) === '') return []
    const end = endOfStatement(code, { ends, start, byLine })
    return { from: index, start, end, isFunction: false, probe: { form: 'condition', at: open + 1, until: close } }
  })
}

function endOfStatement(
  code: string,
  { ends, start, byLine }: { readonly ends: Int32Array; readonly start: number; readonly byLine: boolean },
): number {
  for (let at = start; at < code.length; at += 1) {
    const end = ends[at] ?? 0
    if (end > 0) at = end
    else if (code.charAt(at) === ';' || code.charAt(at) === '}' || (byLine && code.charAt(at) === '\n')) return at
  }
  return code.length
}
