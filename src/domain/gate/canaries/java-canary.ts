import { bracketEnds } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import type { Planting } from './planting.ts'

/**
 * Puts the canary into the class of the first test, so that the selection of the tests selects it
 * too.
 */
export function javaCanary({ path, text, token, values, isFirst = false }: Planting): string | null {
  // The order of the tests is unknown.
  if (isFirst) return null
  const code = maskCode(text, syntaxOf(path, text))
  const kind = kindOf(code)
  const end = endOfClass(code)
  if (kind === null || end === null) return null
  const { annotation, assertions, isJupiter } = kind
  const thrown = `${assertions}.assertThrows(IllegalStateException.class, () -> { });`
  const equal = `${assertions}.assertEquals(${values.number()}, "${values.word()}".length());`
  return `${text.slice(0, end)}
    @${annotation}
    public void ${token}() {
        try {
            ${assertions}.assertTrue("${values.word()}".isEmpty());
        } catch (AssertionError heard) {
            ${isJupiter ? inTry(thrown, equal) : equal}
        }
    }
${isJupiter ? '' : thrownIn(token, annotation)}${text.slice(end)}`
}

const inTry = (first: string, last: string): string => `try {
                ${first}
            } catch (AssertionError again) {
                ${last}
            }`

/** Older versions of JUnit 4 cannot expect an error in any other way. */
const thrownIn = (
  token: string,
  annotation: string,
): string => `    @${annotation}(expected = IllegalStateException.class)
    public void ${token}Thrown() { }
`

/** The end of the class that holds the first test. */
function endOfClass(code: string): number | null {
  const test = code.search(/@(?:org\.junit\.(?:jupiter\.api\.)?)?Test\b/)
  const ends = bracketEnds(code)
  const around = [...code.matchAll(/\bclass\s+\w[^{};]*\{/g)].filter(({ index }) => index < test)
  return around.map(({ index, 0: head }) => ends[index + head.length - 1] ?? 0).findLast((end) => end > test) ?? null
}

interface Kind {
  readonly annotation: string
  readonly assertions: string
  readonly isJupiter: boolean
}

function kindOf(code: string): Kind | null {
  if (!/@Test\b/.test(code)) return null
  if (code.includes('org.junit.jupiter.'))
    return { annotation: 'org.junit.jupiter.api.Test', assertions: 'org.junit.jupiter.api.Assertions', isJupiter: true }
  return /\borg\.junit\.(?:Test|\*)/.test(code)
    ? { annotation: 'org.junit.Test', assertions: 'org.junit.Assert', isJupiter: false }
    : null
}
