/** A line's indentation as it was written, and as the file has it. */
export interface IndentPair {
  readonly written: string
  readonly inFile: string
}

/** Maps a written indentation to the file's; null for one that the mapping does not cover. */
type Mapping = (written: string) => string | null

/** Common tab widths, in columns. */
const widths = [2, 3, 4, 8]
const asIs: Mapping = (written) => written
const tabsForSpaces = widths.map((width): Mapping => {
  return (written) => written.replace(/^ +/, ({ length }) => indent('\t', length / width) + indent(' ', length % width))
})
const spacesForTabs = widths.map((width): Mapping => {
  return (written) => written.replace(/^\t+/, ({ length }) => indent(' ', length * width))
})

/**
 * Finds how to indent lines in a file from lines whose written indentation differs from the file's:
 * deeper or less deep throughout, with tabs in place of spaces, or both. `fits` is false when no
 * such difference explains them, so that they are other lines. `indents` has one entry for each of
 * `added`, and is null when the lines allow several.
 */
export function reindent(
  pairs: readonly IndentPair[],
  added: readonly string[],
): { readonly fits: boolean; readonly indents: readonly string[] | null } {
  const converted = [...tabsForSpaces, ...spacesForTabs]
  const groups = [
    [shifted(asIs, pairs)],
    converted.map((mapping) => (fitsAll(mapping, pairs) ? mapping : null)),
    converted.map((mapping) => shifted(mapping, pairs)),
  ]
  const isMixed = pairs.some(({ inFile }) => mixes(inFile))
  let fits = false
  for (const group of groups) {
    const fitting = group.filter((mapping) => mapping !== null)
    fits ||= fitting.length > 0
    const results = fitting.map((mapping) => added.map(mapping))
    const usable = results.filter((indents) => indents.every((each) => each !== null && (isMixed || !mixes(each))))
    const distinct = new Set(usable.map((indents) => JSON.stringify(indents)))
    if (distinct.size > 1) return { fits, indents: null }
    const [only] = usable
    if (only) return { fits, indents: only.map((each) => each ?? '') }
  }
  return { fits, indents: null }
}

/** The mapping with the same amount more or less for every line; null when it does not fit them. */
function shifted(mapping: Mapping, pairs: readonly IndentPair[]): Mapping | null {
  const [first] = pairs
  if (!first) return mapping
  const converted = mapping(first.written) ?? ''
  const { inFile } = first
  const more = inFile.endsWith(converted) ? inFile.slice(0, inFile.length - converted.length) : null
  const less = converted.endsWith(inFile) ? converted.slice(0, converted.length - inFile.length) : null
  const deeper: Mapping = (written) => `${more}${mapping(written)}`
  const lessDeep: Mapping = (written) => {
    const given = mapping(written) ?? ''
    return given.startsWith(less ?? '') ? given.slice(less?.length) : null
  }
  if (more !== null && fitsAll(deeper, pairs)) return deeper
  return less !== null && fitsAll(lessDeep, pairs) ? lessDeep : null
}

function fitsAll(mapping: Mapping, pairs: readonly IndentPair[]): boolean {
  return pairs.every(({ written, inFile }) => mapping(written) === inFile)
}

function mixes(indentation: string): boolean {
  return indentation.includes(' ') && indentation.includes('\t')
}

function indent(char: string, count: number): string {
  return char.repeat(Math.floor(count))
}
