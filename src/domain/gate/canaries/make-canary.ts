import { fileParts } from './file-parts.ts'

/** The path of the canary's program, beside its test, so that globs and rules match both. */
export function besideTest(path: string, token: string): string {
  const { folder, stem, end } = fileParts(path)
  return `${folder}${sisterOf(stem, token)}${end}`
}

/**
 * The token goes behind the test's own name, but before a suffix that marks tests: `area_test`
 * becomes `area_c0_test`.
 */
function sisterOf(stem: string, token: string): string {
  const end = /[-_.](?:unit)?(?:tests?|spec|check)$/i.exec(stem)?.[0] ?? ''
  return `${stem.slice(0, stem.length - end.length)}_${token}${end}`
}

/** Expressions of make that find test files. */
const finds = /\$[({](?:wildcard|shell\s+(?:find|ls))\b|[\w.)}/-]*\*[\w.-]*/

/**
 * A Makefile that treats the canary's program like the test's: every mention of the test's name is
 * repeated for the canary. Null when the Makefile names neither the test nor a pattern of files.
 */
export function makeCanary({
  text,
  path,
  token,
  goals,
}: {
  readonly text: string
  /** Path of the test file. */
  readonly path: string
  readonly token: string
  /** Targets that the steps ask for. */
  readonly goals: ReadonlySet<string>
}): string | null {
  const { stem } = fileParts(path)
  const naming = { ...patternsOf(stem), sister: sisterOf(stem, token), goals }
  const lines = text.split(/(?<!\\)\n/)
  const made: string[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const end = lines.findIndex((each, i) => i > at && !/^(?:\t|\s*(?:#|$))/.test(each))
    const rule = isOwnRule(line, naming) ? lines.slice(at, end < 0 ? lines.length : end) : null
    if (rule !== null) {
      const own = rule.join('\n').trimEnd().split('\n')
      made.push(...own, ...own.map((each) => renamed(each, naming)), '')
      at += rule.length - 1
    } else made.push(doubled(line, naming))
  }
  const changed = made.join('\n')
  return made.length > lines.length || changed.trimEnd() !== text.trimEnd() || finds.test(text) ? changed : null
}

/**
 * True if a rule makes a differently named program from the test's file: then no name leads to a
 * second program, and the canary has to take the file's place.
 */
export function isMadeByOtherName({ text, path }: { readonly text: string; readonly path: string }): boolean {
  const { stem, end } = fileParts(path)
  const { name } = patternsOf(stem)
  const input = new RegExp(`${name.source}${end.replace(/[^\w]/g, '\\$&')}(?![\\w.])`)
  return text.split(/(?<!\\)\n/).some((line, i, lines) => {
    const [, targets = '', prerequisites = ''] = /^([^\t#:=\s][^:=]*?)\s*::?(?!=)(.*)$/s.exec(line) ?? []
    return (
      input.test(prerequisites) && !new RegExp(name.source).test(targets) && lines[i + 1]?.startsWith('\t') === true
    )
  })
}

interface Naming {
  readonly name: RegExp
  readonly word: RegExp
  readonly sister: string
  readonly goals: ReadonlySet<string>
}

function patternsOf(stem: string): Pick<Naming, 'name' | 'word'> {
  const name = `(?<![\\w-])${stem.replace(/[^\w]/g, '\\$&')}(?![\\w-]|[\\w.-]*/)`
  const part = '(?:\\$[({][\\w.]+[)}]|[\\w./%+@-])*'
  return { name: new RegExp(name, 'g'), word: new RegExp(`${part}${name}[\\w.%+-]*`, 'g') }
}

const renamed = (line: string, { name, sister }: Naming): string => line.replace(name, () => sister)

const has = (text: string, { name }: Naming): boolean => text.search(name) >= 0

/** True for a rule or setting that concerns the test's program alone. */
function isOwnRule(line: string, naming: Naming): boolean {
  const targets = /^([^\t#:=\s][^:=]*?)\s*::?(?!=)/.exec(line)?.[1]
  if (targets === undefined) return false
  return !/\s/.test(targets) && !targets.startsWith('.') && !naming.goals.has(targets) && has(targets, naming)
}

function doubled(line: string, naming: Naming): string {
  if (/^\s*#/.test(line) || !has(line, naming)) return line
  const setting = /^\s*(?:export\s+|override\s+)*([\w.-]+)\s*(?:[:+?!]|::)?=/.exec(line)?.[1]
  const isWhole = setting === undefined ? isCommand(line) : has(setting, naming)
  if (isWhole) return `${line}\n${renamed(line, naming)}`
  return line.replace(naming.word, (word) => `${word} ${renamed(word, naming)}`)
}

/** True for a line of a recipe about one test, not about a list of them. */
const isCommand = (line: string): boolean => line.startsWith('\t') && !/\b(?:for\s+\w+\s+in|prove)\b/.test(line)
