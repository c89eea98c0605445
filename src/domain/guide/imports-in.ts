import { limits } from '../limits.ts'

/**
 * The imports of a `CLAUDE.md`: the words after an `@` at the start of a word, outside of code.
 * Each appears once, in order.
 */
export function importsIn(text: string): readonly string[] {
  const words = outsideCode(text).matchAll(/(?<=^|\s)@([^\s@]+)/gm)
  const paths = [...words]
    .flatMap(([, path = '']) => (path.length > limits.guide.pathChars ? [] : [path.replace(/[.,;:!?)'"\]]+$/, '')]))
    .filter((path) => path !== '')
  return [...new Set(paths)]
}

function outsideCode(text: string): string {
  let fence: string | null = null
  const lines = text.split('\n').filter((line) => {
    const [, mark = null] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (mark === null) return fence === null
    if (fence === null) fence = mark
    else if (mark.startsWith(fence)) fence = null
    return false
  })
  return lines.join('\n').replace(/`[^`\n]*`/g, ' ')
}
