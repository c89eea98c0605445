import { redactPrivateKeys } from './private-key-block.ts'
import { type SecretShape, secretShapes } from './secret-shapes.ts'

/** The shapes that can begin with two given characters, by their codes; all are ASCII. */
const shapesAt: ReadonlyMap<number, readonly SecretShape[]> = tableOf(secretShapes)
/** Holds 1 for characters that can begin a shape; most of a text needs only this check. */
const begins = new Uint8Array(128 * 128)
for (const index of shapesAt.keys()) begins[index] = 1
const backslash = 92

/** Hides text with the shape of a key or token. Linear, and cheap for text without any. */
export function redactShapes(text: string, marker: string): string {
  const keyless = redactPrivateKeys(text, marker)
  let clean = ''
  let kept = 0
  let previous = 0
  let code = keyless.charCodeAt(0)
  for (let at = 0; at < keyless.length - 1; at += 1) {
    const next = keyless.charCodeAt(at + 1)
    if ((code | next) < 128 && begins[(code << 7) | next] === 1 && (!isWordLike(previous) || isEscape(keyless, at))) {
      const found = matchAt(keyless, at, shapesAt.get((code << 7) | next) ?? [])
      if (found !== null) {
        clean += keyless.slice(kept, found.from) + marker
        kept = found.to
        at = found.to - 1
        previous = 0
        code = keyless.charCodeAt(found.to)
        continue
      }
    }
    previous = code
    code = next
  }
  return kept === 0 ? keyless : clean + keyless.slice(kept)
}

function matchAt(text: string, at: number, shapes: readonly SecretShape[]) {
  for (const { pattern } of shapes) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) return { from: at + (match[1]?.length ?? 0), to: at + match[0].length }
  }
  return null
}

function isWordLike(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}

/**
 * True if the letter before belongs to a `
 * `, as JSON writes it.
 */
function isEscape(text: string, at: number): boolean {
  return at >= 2 && text.charCodeAt(at - 2) === backslash && 'nrt'.includes(text.charAt(at - 1))
}

function tableOf(shapes: readonly SecretShape[]) {
  const table = new Map<number, readonly SecretShape[]>()
  for (const shape of shapes) {
    for (const start of shape.starts) {
      const index = (start.charCodeAt(0) << 7) | start.charCodeAt(1)
      table.set(index, [...(table.get(index) ?? []), shape])
    }
  }
  return table
}
