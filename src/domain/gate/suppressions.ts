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

/** The number of places where a text file silences a check. Strings do not count. */
export function countSuppressions(text: string, path: string): number {
  if (!isCode(path)) return isKeptData(path) ? 0 : commentsOf(text, path).filter(isSilencing).length
  const syntax = syntaxOf(path, text)
  const own = isGenerated(text, path) ? text.replace(header, '') : text
  const attributes = inCode[syntax.language]
  const inAttributes = attributes === undefined ? [] : (maskStrings(own, syntax).match(attributes) ?? [])
  const ofMarkup = /\.(?:vue|svelte|astro)$/i.test(path) ? commentsOf(own, path) : []
  return inAttributes.length + [...commentsIn(own, syntax), ...ofMarkup].filter(isSilencing).length
}

/** A quick check for an added line that may silence a check; it has false alarms. */
export function maySuppress(line: string): boolean {
  const attributes = Object.values(inCode).some((pattern) => line.search(pattern) >= 0)
  return attributes || afterMarks(line).some(isSilencing)
}

const isSilencing = (comment: string): boolean => silencingWords(comment) !== null

const marks = /(?:\/\/|\/\*|#|--|;|%|<!--|\{-|\{#|\(\*)[\s*!/#;%-]*/g

/** All texts in a line that may be a comment: the line's start, and the text after each mark. */
function afterMarks(line: string): readonly string[] {
  return [line, ...[...line.matchAll(marks)].map(({ 0: mark, index }) => line.slice(index + mark.length))]
}

/** The beginnings of the comments in a program, and of their lines. */
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
    // The first mark begins the comment itself, so its text and the line's are the same.
    return /^(?:\/\/|\/\*|#|--|;|%|<!--|\{-)/.test(comment.trim()) ? found.slice(1) : found
  })
}

/**
 * The beginnings of comments in a text without a known language. Documents have the comments of
 * HTML, since `#` begins a heading there, and quoted text is code.
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

/** Most characters of a comment that are read. */
const longest = 300

/** The comments at the beginning of a file. */
const header = /^(?:\s*(?:\/\/|#|--)[^\n]*\n|\s*\/\*[\s\S]*?\*\/)+/
const generated =
  /(?:^|\/)(?:__generated__|generated|autogen|gen)\/|\.(?:gen|generated|pb|g)\.\w+$|_(?:pb2(?:_grpc)?|pb|generated)\.\w+$/

/** True if a file is generated, by its path and its header: linters are not meant to check it. */
function isGenerated(text: string, path: string): boolean {
  return (
    generated.test(path) &&
    /@generated\b|\bdo not edit\b|\bgenerated (?:by|from|with)\b/i.test(header.exec(text)?.[0] ?? '')
  )
}
