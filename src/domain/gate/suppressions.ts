import { type CodeSyntax, isCode, type Language, syntaxOf } from './code-syntax.ts'
import { isForPeople, isKeptData } from './file-kind.ts'
import { maskCode, maskStrings } from './mask-code.ts'
import { silencingWords } from './silencing-words.ts'

/** Attributes and pragmas that silence a check. */
const inCode: Partial<Readonly<Record<Language, RegExp>>> = {
  rust: /#!?\[[^\]\n]{0,200}?\b(?:allow|expect)\s{0,20}\(|#!?\[\s{0,20}coverage\(off\)/gi,
  'c-like':
    /@Suppress(?:Warnings|Lint)?\b|\bSuppressMessage\b|#pragma[ \t]+(?:warning[ \t]+disable|GCC[ \t]+diagnostic[ \t]+ignored)/gi,
}

/** The number of places where a text file silences a check. Those in strings do not count. */
export function countSuppressions(text: string, path: string): number {
  if (!isCode(path)) return isKeptData(path) ? 0 : commentsOf(text, path).filter(isSilencing).length
  const syntax = syntaxOf(path, text)
  const own = isGenerated(text, path) ? text.replace(header, '') : text
  const attributes = inCode[syntax.language]
  const inAttributes = attributes === undefined ? [] : (maskStrings(own, syntax).match(attributes) ?? [])
  const ofMarkup = /\.(?:vue|svelte|astro)$/i.test(path) ? commentsOf(own, path) : []
  return inAttributes.length + [...commentsIn(own, syntax), ...ofMarkup].filter(isSilencing).length
}

/** Whether a line that a change adds may silence a check: more often than it does. */
export function maySuppress(line: string): boolean {
  const attributes = Object.values(inCode).some((pattern) => line.search(pattern) >= 0)
  return attributes || afterMarks(line).some(isSilencing)
}

const isSilencing = (comment: string): boolean => silencingWords(comment) !== null

const marks = /(?:\/\/|\/\*|#|--|;|%|<!--|\{-|\{#|\(\*)[\s*!/#;%-]*/g

/** Each text of a line that a comment may begin with: the line's start, and what follows a mark. */
function afterMarks(line: string): readonly string[] {
  return [line, ...[...line.matchAll(marks)].map(({ 0: mark, index }) => line.slice(index + mark.length))]
}

/** The texts in a program that comments, or lines of comments, begin with. */
function commentsIn(text: string, syntax: CodeSyntax): readonly string[] {
  const code = maskCode(text, syntax).split('\n')
  const commented = maskStrings(text, syntax).split('\n')
  return text.split('\n').flatMap((line, i) => {
    const [bare = '', full = ''] = [code[i], commented[i]]
    if (bare === full) return []
    const comment = Array.from({ length: line.length }, (_, at) =>
      bare[at] === full[at] ? ' ' : (line[at] ?? ''),
    ).join('')
    const found = afterMarks(comment.trim())
    // The first mark begins the comment, with the line: what stands there is one text.
    return /^(?:\/\/|\/\*|#|--|;|%|<!--|\{-)/.test(comment.trim()) ? found.slice(1) : found
  })
}

/**
 * The same of a text whose language is not known. Comments of documents are those of HTML, since
 * `#` begins a heading there, and what they quote is code.
 */
function commentsOf(text: string, path: string): readonly string[] {
  const begins =
    isForPeople(path) || isCode(path) ? /<!--+/g : /(?:(?<=^|\s)(?:\/\/|\/\*|#|--|;|%)|<!--|\{#|\(\*)[ \t*!/#;%-]*/gm
  let [isQuoted, at] = [false, 0]
  return [...text.matchAll(begins)].flatMap(({ 0: mark, index }) => {
    // A quote ends with its line.
    for (const [sign] of text.slice(at, index).matchAll(/["\n]/g)) isQuoted = sign === '"' && !isQuoted
    at = index
    const isBlock = /^(?:\/\*|<!--)/.test(mark)
    const rest = text.slice(index + mark.length, index + mark.length + longest)
    return isQuoted ? [] : [(isBlock ? rest.trimStart() : rest).split('\n')[0] ?? '']
  })
}

/** Characters of a comment that are looked at. */
const longest = 300

/** The comments that a file begins with. */
const header = /^(?:\s*(?:\/\/|#|--)[^\n]*\n|\s*\/\*[\s\S]*?\*\/)+/
const generated =
  /(?:^|\/)(?:__generated__|generated|autogen|gen)\/|\.(?:gen|generated|pb|g)\.\w+$|_(?:pb2(?:_grpc)?|pb|generated)\.\w+$/

/** Whether a file is generated, by its path and its header: no linter is meant to check it. */
function isGenerated(text: string, path: string): boolean {
  return (
    generated.test(path) &&
    /@generated\b|\bdo not edit\b|\bgenerated (?:by|from|with)\b/i.test(header.exec(text)?.[0] ?? '')
  )
}
