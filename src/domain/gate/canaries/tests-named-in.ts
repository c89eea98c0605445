import { testFileOf } from '../../verification/compare-tests.ts'
import { passedIds, type TestReport } from '../../verification/test-results.ts'

const titles: readonly (readonly [RegExp, RegExp])[] = [
  [/\.[cm]?[jt]sx?$/, /(?<![\w$])(?:test|it|specify)(?:\.\w+)*\s*\(\s*(["'`])((?:\\.|(?!\1)[^\\\n])+)\1/g],
  [/\.py$/, /^[ \t]*(?:async )?()def (test\w*)/gm],
  [/\.bats$/, /^[ \t]*@test[ \t]+(["'])((?:\\.|(?!\1)[^\\\n])+)\1/gm],
  [/\.go$/, /^()func (Test\w*)\(/gm],
  [/\.rs$/, /#\[test\](?:\s*#\[[^\]\n]*\])*\s*()(?:pub )?fn (\w+)/g],
  [/\.java$/, /@Test\b[^{;]{0,200}?\bvoid\s+()(\w+)\s*\(/g],
]

/** Most ids that are split at each blank. */
const mostJoined = 2_000

/** The names of tests, as the text of a file writes them. */
function testsNamedIn(path: string, text: string): readonly string[] {
  const program = /([^/]+)\.(?:c|cc|cpp|cxx)$/.exec(path)?.[1]
  // The name of a test that is a program resembles that of its file.
  if (program !== undefined) return [program, program.replace(/^(?:unit)?tests?[-_]|[-_](?:unit)?tests?$/i, '')]
  const pattern = titles.find(([name]) => name.test(path))?.[1]
  if (pattern === undefined) return []
  return [...text.matchAll(pattern)].flatMap(([, , name]) => (name === undefined ? [] : [name.replaceAll('\\', '')]))
}

/** Names of the tests whose own lines contain a text. */
export function testsWithText(
  { path, text }: { readonly path: string; readonly text: string },
  wanted: string,
): readonly string[] {
  const pattern = titles.find(([name]) => name.test(path))?.[1]
  if (pattern === undefined) return []
  const found = [...text.matchAll(pattern)]
  return found.flatMap(({ index, 2: name }, i) => {
    const own = text.slice(index, found[i + 1]?.index ?? text.length)
    return name !== undefined && own.includes(wanted) ? [name] : []
  })
}

/** Returns a function that tells whether tests of a file are among the passed ones. */
export function ranIn(report: TestReport): (file: { readonly path: string; readonly text: string }) => boolean {
  const passed = passedIds(report)
  const files = new Set(passed.map((id) => testFileOf(id) || (/^[^\s>]+\.[a-z]+$/i.test(id) ? id : '')))
  const names = new Set(passed.flatMap(partsOf))
  // Some runners join suites and names with blanks: the rest behind any blank may be the name.
  if (report.format === 'tap' || report.format === 'junit')
    for (const id of passed.slice(0, mostJoined))
      for (let at = id.indexOf(' '); at >= 0; at = id.indexOf(' ', at + 1)) names.add(id.slice(at + 1))
  return ({ path, text }) => {
    if ([...files].some((file) => file !== '' && (path === file || path.endsWith(`/${file}`)))) return true
    if (testsNamedIn(path, text).some((name) => names.has(name))) return true
    // Without test names, `go test` reports only packages.
    return report.format === 'go' && passed.some((id) => !id.includes(' ') && isPackageOf(id, path))
  }
}

/**
 * The parts of an id, without the suffixes of repeated and parametrised tests, and without its
 * modules.
 */
function partsOf(id: string): readonly string[] {
  return id.split(' > ').flatMap((part) => {
    const bare = part.replace(/ #\d+$/, '').replace(/[[(].*$/, '')
    return [part, bare, bare.split('::').at(-1) ?? bare]
  })
}

function isPackageOf(id: string, path: string): boolean {
  const folder = path.split('/').slice(0, -1).join('/')
  return folder === '' || id === folder || id.endsWith(`/${folder}`)
}
