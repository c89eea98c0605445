import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { blocksOf } from './blocks-of.ts'
import type { CodeBlock } from './code-block.ts'

const noName =
  /^(?:if|for|while|switch|catch|function|func|fn|def|pub|async|await|return|__attribute__|get|set|static)$/

/** The name in a function's header; null for a callback. */
export function functionName(code: string, { from, start, isFunction }: CodeBlock): string | null {
  if (!isFunction) return null
  const header = withoutBrackets(code.slice(from, start))
  const assigned =
    /(?:^|[\s;{,(])([\w$]+)\s*[=:]\s*(?:async\b\s*)?(?:function\b\s*\*?\s*[\w$]*\s*)?(?:\(\)|[\w$]+)\s*(?:=>)?\s*$/
  const found = assigned.exec(header.replace(/\{\s*$/, ''))?.[1]
  if (found !== undefined) return found
  const called = [...header.matchAll(/([\p{L}_$][\w$]*)\s*(?:<[^()]*>)?\s*\(\)/gu)].map(([, name = '']) => name)
  return called.find((name) => !noName.test(name)) ?? null
}

/** The number of functions by name. */
export function functionNames(path: string, text: string): ReadonlyMap<string, number> {
  const code = maskCode(text, syntaxOf(path, text))
  const counts = new Map<string, number>()
  for (const block of blocksOf(path, text)?.blocks ?? []) {
    const name = functionName(code, block)
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Removes the contents of round brackets. */
function withoutBrackets(header: string): string {
  let [depth, kept] = [0, '']
  for (const character of header) {
    if (character === ')') depth = Math.max(0, depth - 1)
    if (depth === 0) kept += character
    if (character === '(') depth += 1
  }
  return kept
}
