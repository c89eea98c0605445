import type { Assertion } from './assertion-list.ts'
import { type ReadFile, testBlocks } from './statements.ts'

/** An assertion that a name is `null` or missing. */
const nothing =
  /^(?:[\w$]+\.)?(?:ifError|equals?|strictEqual|is|same|falsy|notOk|expect)\s*\(\s*([\w$]+)\s*(?:\)|,\s*(?:null|undefined)\s*\))(?:\s*\.\s*(?:toBeNull|toBeUndefined|toBeFalsy|toBe|toEqual)\s*\((?:null|undefined)?\))?/

/**
 * True if an assertion says that a callback got no error, and the test of the same name now awaits
 * a promise: a rejected one fails the test.
 */
export function isAwaitedNow(own: ReadFile, { start, test }: Assertion, after: readonly ReadFile[]): boolean {
  const name = nothing.exec(own.code.slice(start, start + 200))?.[1]?.replaceAll('$', '\\$')
  if (own.language !== 'script' || test === null || name === undefined) return false
  const blockIn = (file: ReadFile) => testBlocks(file).find((each) => each.name === test)
  const from = blockIn(own)?.start ?? start
  const before = own.code.slice(from, start)
  const parameters = `(?:\\(\\s*${name}\\s*(?:,[^(){}]*)?\\)|${name})`
  const isFirst = new RegExp(`[(,]\\s*(?:function\\s*[\\w$]*\\s*)?${parameters}\\s*(?:=>|\\{)`)
  if (!isFirst.test(before)) return false
  return after.some((file) => {
    const block = blockIn(file)
    const said = block === undefined ? '' : file.code.slice(block.start, block.end)
    return /\bawait\b/.test(said) && !/\bcatch\b|\ballSettled\b/.test(said)
  })
}
