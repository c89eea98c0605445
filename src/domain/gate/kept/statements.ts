import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { type Language, syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'

/** A test file with its statements. */
export interface ReadFile {
  readonly path: string
  readonly text: string
  readonly code: string
  readonly ends: Int32Array
  readonly language: Language
  readonly statements: readonly Statement[]
}

/** A statement at the top level of a file. */
export interface Statement extends Part {
  /** The name that the statement declares, where it does nothing else. */
  readonly declares: string | null
  readonly hasTests: boolean
}

const scriptTest = /(?<![\w$.])(?:test|it|specify)(?:\s*\.\s*(?!(?:skip|todo|before|after)\w*\b)\w{1,40}){0,2}\s*\(/g
const pythonTest = /^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(/gm
const declared: Partial<Record<Language, RegExp>> = {
  script:
    /^(?:export\s+)?(?:(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=|(?:async\s+)?function\s*\*?\s*([\w$]+)\s*[(<])/,
  python: /^(?:(?:async\s+)?def\s+(\w+)\s*\(|(\w+)\s*(?::[^=]+)?=(?!=))/,
}

/** Reads the statements of a file; null for an unsupported language. */
export function readStatements(path: string, text: string): ReadFile | null {
  const syntax = syntaxOf(path, text)
  const { language } = syntax
  if (!(language === 'script' || (language === 'python' && path.endsWith('.py')))) return null
  const code = maskCode(text, syntax)
  const ends = bracketEnds(code)
  const read = { path, text, code, ends, language }
  return { ...read, statements: statementsOf(read) }
}

function statementsOf({ code, language }: Omit<ReadFile, 'statements'>): readonly Statement[] {
  const starts: number[] = []
  let [at, depth, isDecorated] = [0, 0, false]
  for (const line of code.split('\n')) {
    const isStart = depth === 0 && /^[^\s)\]}.]/.test(line) && !/^(?:else|catch|finally|except|elif)\b/.test(line)
    if (isStart && !isDecorated) starts.push(at)
    if (isStart) isDecorated = language === 'python' && line.startsWith('@')
    for (const each of line) {
      if ('([{'.includes(each)) depth += 1
      else if (')]}'.includes(each)) depth -= 1
    }
    at += line.length + 1
  }
  return starts.map((start, i) => {
    const end = start + code.slice(start, starts[i + 1] ?? code.length).trimEnd().length
    const said = code.slice(start, end)
    const hasTests = language === 'script' ? said.search(scriptTest) >= 0 : said.search(pythonTest) >= 0
    const [, one, other] = declared[language]?.exec(said) ?? []
    return { start, end, hasTests, declares: hasTests ? null : (one ?? other ?? null) }
  })
}

/** The number of times that a part of code uses a name. */
export function names({ code }: ReadFile, { start, end }: Part, name: string): number {
  const pattern = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g')
  return code.slice(start, end).match(pattern)?.length ?? 0
}

/** Renames the tests in a text, each to a name with the token. */
export function renamed(text: string, path: string, token: string): string {
  const syntax = syntaxOf(path, text)
  const code = maskCode(text, syntax)
  if (syntax.language === 'python')
    return text
      .replace(pythonTest, (said, name: string) => said.replace(name, `${name}_${token}`))
      .replace(/^(class[ \t]+)(\w+)/gm, `$1$2_${token}`)
  const ends = bracketEnds(code)
  const titles = [...code.matchAll(scriptTest)].flatMap(({ index, 0: call }): readonly Part[] => {
    let open = index + call.length - 1
    // The arguments of `each` are a table; the title is in the next brackets.
    if (/\.\s*each\s*\($/.test(call)) open = (ends[open] ?? 0) + 1
    if (code[open] !== '(') return []
    const [title] = partsBetween(code, { start: open + 1, end: ends[open] || code.length })
    return title === undefined ? [] : [title]
  })
  return titles
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (rest, { start, end }) => `${rest.slice(0, start)}'${token} ' + (${rest.slice(start, end)})${rest.slice(end)}`,
      text,
    )
}

/** The names of the tests in a statement, without computed names. */
export function testNames({ text, code, language }: ReadFile, { start, end }: Part): readonly string[] {
  const [own, masked] = [text.slice(start, end), code.slice(start, end)]
  if (language === 'python') return [...masked.matchAll(pythonTest)].map(([, name = '']) => name)
  return [...masked.matchAll(scriptTest)].flatMap(({ index, 0: call }) => {
    const title = /^\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`$]*)`)/.exec(own.slice(index + call.length))
    return title?.[1] ?? title?.[2] ?? title?.[3] ?? []
  })
}

/** The tests of a file whose names are written out, each with its text. */
export function testBlocks({ text, code, ends, language }: ReadFile): readonly (Part & { readonly name: string })[] {
  if (language === 'python')
    return [...code.matchAll(pythonTest)].map(({ index, 0: head, 1: name = '' }) => {
      const indent = /^[ \t]*/.exec(head)?.[0].length ?? 0
      // The header may span several lines.
      const below = code.indexOf('\n', ends[index + head.length - 1] || index) + 1
      const next = below === 0 ? -1 : code.slice(below).search(new RegExp(`^[ \\t]{0,${indent}}[^\\s)\\]}]`, 'm'))
      const end = next < 0 ? code.length : below + next
      return { name, start: index, end: index + code.slice(index, end).trimEnd().length }
    })
  return [...code.matchAll(scriptTest)].flatMap(({ index, 0: call }) => {
    const open = index + call.length - 1
    const title = /^\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`$]*)`)/.exec(text.slice(open + 1))
    const name = title?.[1] ?? title?.[2] ?? title?.[3]
    return name === undefined || !ends[open] ? [] : [{ name, start: index, end: (ends[open] ?? 0) + 1 }]
  })
}
