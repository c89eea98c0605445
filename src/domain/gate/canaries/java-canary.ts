import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import type { Planting } from './planting.ts'

/** In the class itself: what selects its tests selects this one. */
export function javaCanary({ path, text, token }: Planting): string | null {
  const code = maskCode(text, syntaxOf(path, text))
  const kind = kindOf(code)
  const end = code.lastIndexOf('}')
  if (kind === null || end < 0) return null
  const { annotation, assertions } = kind
  return `${text.slice(0, end)}
    @${annotation}
    public void ${token}() {
        try {
            ${assertions}.assertTrue("${token}".isEmpty());
        } catch (AssertionError heard) {
            ${assertions}.assertEquals(1, "${token}".length());
        }
    }
${text.slice(end)}`
}

function kindOf(code: string): { readonly annotation: string; readonly assertions: string } | null {
  if (!/@Test\b/.test(code)) return null
  if (code.includes('org.junit.jupiter.'))
    return { annotation: 'org.junit.jupiter.api.Test', assertions: 'org.junit.jupiter.api.Assertions' }
  return /\borg\.junit\.(?:Test|\*)/.test(code)
    ? { annotation: 'org.junit.Test', assertions: 'org.junit.Assert' }
    : null
}
