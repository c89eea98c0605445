import { reachedBy, reaching } from './graph.ts'
import type { ModuleTree } from './module-tree.ts'
import type { Uses } from './uses.ts'

/**
 * True if a test passes a value through a file and a changed source and back, and compares the
 * result with the value, as `decode(encode(text))` with `text`. Old and new versions of the two
 * need not fit.
 */
export function isTurnedAround({ tree, graph, tests }: Uses, path: string, sources: readonly string[]): boolean {
  const own = namesIn(tree, path)
  return [...reaching(graph, { from: tests, wanted: [path] })].some((test) => {
    const reached = reachedBy(graph, [test], { inTests: true })
    const others = sources.filter((each) => each !== path && reached.has(each)).flatMap((each) => namesIn(tree, each))
    const text = tree.uncommented(test)
    const [mine, theirs] = [own, others].map((names) => [...new Set(names)].filter((name) => text.includes(`${name}(`)))
    return (mine ?? []).some((name) =>
      (theirs ?? []).some((other) => turns(text, name, other) || turns(text, other, name)),
    )
  })
}

const declared =
  /(?:\b(?:function\*?|const|let|var|def|func|fn)[ \t]+|\bexports\.|^(?:[a-z_]\w*[ \t*]+)+)(?:\([^)\n]*\)[ \t]*)?(\w+)/gm

/** The names of the functions and variables that a file declares. */
export function namesIn(tree: ModuleTree, path: string): readonly string[] {
  return [...tree.code(path).matchAll(declared)].map(([, name = '']) => name)
}

/**
 * True if a text applies one function to the result of another and names the inner argument again.
 */
function turns(text: string, outer: string, inner: string): boolean {
  const made = `(?:await\\s+)?(?:\\w+(?:\\.|::))*${inner}\\(([^()]*)\\)`
  const direct = new RegExp(`\\b${outer}\\(\\s*${made}\\s*\\)`, 'g')
  for (const { index, 0: call, 1: value = '' } of text.matchAll(direct))
    if (isNear(text, value, index, index + call.length)) return true
  for (const { 1: name = '', 2: value = '' } of text.matchAll(new RegExp(`(\\w+)\\s*:?=\\s*${made}`, 'g')))
    for (const { index, 0: call } of text.matchAll(new RegExp(`\\b${outer}\\(\\s*${name}\\s*\\)`, 'g')))
      if (isNear(text, value, index, index + call.length)) return true
  return false
}

/**
 * True if a value stands next to a call: in its lines or directly below, but outside of the call.
 */
function isNear(text: string, value: string, start: number, end: number): boolean {
  const wanted = value.trim().replace(/^&/, '')
  if (wanted === '') return false
  const before = text.slice(0, start).split('\n').slice(-2).join('\n')
  const after = text.slice(end).split('\n').slice(0, 3).join('\n')
  const again = new RegExp(`(?<![\\w.])${escaped(wanted)}(?!\\w)`)
  return again.test(before) || again.test(after)
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
