/**
 * True if git accepts a name for a branch (git-check-ref-format); names that git's commands would
 * misread are refused.
 */
export function isBranchName(name: string): boolean {
  const parts = name.split('/')
  return (
    name.length <= 200 &&
    name !== '@' &&
    name !== 'HEAD' &&
    !name.startsWith('-') &&
    !/[\s~^:?*[\\\u007f]|\.\.|@\{/u.test(name) &&
    ![...name].some((character) => character < ' ') &&
    parts.every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.') && !part.endsWith('.lock'))
  )
}
