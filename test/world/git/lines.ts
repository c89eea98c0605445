import { diffArrays } from 'diff'

/** Lines of a text, each with its line ending. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** A line of a diff: kept (0), removed (-1) or added (1). */
export type Op = readonly [-1 | 0 | 1, string]

/** The diff of two texts by lines. */
export function lineOps(before: string, after: string): readonly Op[] {
  return diffArrays(linesOf(before), linesOf(after)).flatMap(({ added, removed, value }) =>
    value.map((line) => [added ? 1 : removed ? -1 : 0, line] as const),
  )
}
