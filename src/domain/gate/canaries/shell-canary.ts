import type { Planting } from './planting.ts'

/**
 * The line with which a test file loads shunit2, which then runs the tests and ends the process.
 */
const loading = /^[ \t]*(?:\.|source)[ \t]+\S*shunit2?\S*[ \t]*$/gim

/** Null for a file that uses neither bats nor shunit2. */
export function shellCanary({ path, text, token, isFirst = false }: Planting): string | null {
  if (path.endsWith('.bats')) {
    const first = text.search(/^[ \t]*@test\b/m)
    const at = isFirst && first >= 0 ? first : text.length
    return `${text.slice(0, at)}\n@test "${token}" {\n  false\n}\n${isFirst ? '\n' : ''}${text.slice(at)}`
  }
  if (isFirst) return null
  const last = [...text.matchAll(loading)].at(-1)
  if (last === undefined) return null
  const own = `# shellcheck disable=all\ntest_${token}() {\n  fail '${token} must fail'\n}\n\n`
  return text.slice(0, last.index) + own + text.slice(last.index)
}
