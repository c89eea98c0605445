import { matchesGlob } from 'node:path'

/** What is more than `*`, `**`, `?` and a plain `{a,b}`, or means something else at the start. */
const unusual = /[[\]()\\]|^[!#]|\{[^{}]*(?:\{|\.\.)|\{[^,{}]*\}|\{[^}]*$|^[^{]*\}/

/** Whether a path below a folder matches the glob. Names with a leading dot are names like any other. Made once for many paths: Node reads the pattern anew for each. */
export function globMatcher(glob: string): (path: string) => boolean {
  if (unusual.test(glob)) {
    const shown = unhidden(glob)
    return (path) => matchesGlob(path, glob) || matchesGlob(unhidden(path), shown)
  }
  const patterns = alternatives(glob).map((each) => new RegExp(`^${source(each)}$`, 's'))
  return (path) => patterns.some((pattern) => pattern.test(path))
}

/** The glob without its braces. */
function alternatives(glob: string): readonly string[] {
  const found = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(glob)
  if (found === null) return [glob]
  const [, before = '', inside = '', after = ''] = found
  return inside.split(',').flatMap((each) => alternatives(`${before}${each}${after}`))
}

function source(glob: string): string {
  const segments = glob.split('/').filter((segment, i, all) => segment !== '**' || all[i - 1] !== '**')
  return segments
    .map((segment, i) => segmentSource(segment, { isFirst: i === 0, isLast: i === segments.length - 1 }))
    .join('')
}

function segmentSource(
  segment: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string {
  const slash = isLast ? '' : '/'
  if (segment === '**') return isLast ? (isFirst ? '.*' : '.+') : '(?:[^/]+/)*'
  if (/^\*+$/.test(segment)) return `[^/]+${slash}`
  const text = segment
    .replace(/[.+^$|(){}]/g, '\\$&')
    .replace(/\*+/g, '[^/]*')
    .replaceAll('?', '[^/]')
  return `${text}${slash}`
}

/** Node's globs leave names with a leading dot out. */
function unhidden(path: string): string {
  return path.replace(/(^|\/)\./g, '$1\u0001')
}
