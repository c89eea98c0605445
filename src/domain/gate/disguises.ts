import { type HiddenCharacter, type ShownPart, shownParts } from '../hidden-characters.ts'
import { syntaxOf } from './code-syntax.ts'
import { isKeptData, isProgram } from './file-kind.ts'
import { isAscii, isMixed, readAs } from './look-alikes.ts'
import { maskCode, maskStrings } from './mask-code.ts'

/** A line that reads as something other than what it is. */
export interface Disguise {
  /** The line number, counted from 1. */
  readonly line: number
  /** The line, or the part of it that matters, with escapes such as `\u202e`. */
  readonly text: string
  readonly characters: readonly HiddenCharacter[]
  /** The line's names that look like others, with escapes. */
  readonly names: readonly string[]
}

interface ChangedText {
  readonly path: string
  /** Null where the change adds the file. */
  readonly before: string | null
  readonly after: string
  readonly isAdded: (line: number) => boolean
  /** The names in the other files of the change, which may be mistaken for names of this one. */
  readonly others: ReadonlySet<string>
}

/**
 * The added lines that read as something other than what they are: hidden characters in any text,
 * and names in code that look like others.
 */
export function disguisesIn({ path, before, after, isAdded, others }: ChangedText): readonly Disguise[] {
  if (!mayBeDisguised(after) || (!isProgram(path) && !isText(after))) return []
  const known = new Set((before ?? '').split('\n').flatMap((line) => hiddenWords(line)))
  const told = isProgram(path) ? namesToldIn({ path, before, after, isAdded, others }) : new Map<number, string[]>()
  const lines = after.replace(/^\ufeff/, '').split('\n')
  let found = 0
  return lines.flatMap((line, i): readonly Disguise[] => {
    if (found >= mostLines || !isAdded(i + 1)) return []
    const parts = partsOf(line, path)
    const words = wordsOf(parts)
    const isNew = parts.map((part, at) => typeof part !== 'string' && !known.has(words[at] ?? ''))
    const characters = parts.flatMap((part, at) => (isNew[at] && typeof part !== 'string' ? [part] : []))
    const names = told.get(i + 1) ?? []
    if (characters.length === 0 && names.length === 0) return []
    found += 1
    const text = parts.map((part) => (typeof part === 'string' ? escapedNames(part, names) : escapeOf(part)))
    const first = isNew.indexOf(true)
    const at = first < 0 ? text.join('').indexOf(escapedWord(names[0] ?? '')) : text.slice(0, first).join('').length
    return [{ line: i + 1, text: excerpt(text.join(''), at), characters, names: names.map(escapedWord) }]
  })
}

/** A name, such as a path, with escapes in place of hidden characters. */
export function escapedText(text: string): string {
  return shownParts(text)
    .map((part) => (typeof part === 'string' ? part : escapeOf(part)))
    .join('')
}

/** The hidden characters of a path. */
export function hiddenInPath(path: string): readonly HiddenCharacter[] {
  return shownParts(path).filter((part) => typeof part !== 'string')
}

/** All words of a program's text that may be names. */
export function namesIn(text: string, path: string): ReadonlySet<string> {
  return new Set(wordsIn(text, path).map(({ word }) => word))
}

/** A quick check for characters that can hide something; most texts have none. */
export function mayBeDisguised(text: string): boolean {
  return unusual.test(text)
}

const unusual = /[^\t\n\f\r\x20-\x7e]|\r(?!\n|$)/

/** True for text that people read: git takes other files for binary, or they are hardly UTF-8. */
function isText(text: string): boolean {
  const head = text.slice(0, 8_000)
  return !head.includes('\0') && (head.match(/\ufffd/g)?.length ?? 0) * 20 <= head.length
}

/** Scripts that need direction marks, and scripts without spaces. */
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const unspaced = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Bounds: parts of a line that are examined, and lines that are reported. */
const [mostParts, mostLines] = [2_000, 1_000]

/**
 * The parts of a line. Characters that are legitimate in texts for people are not hidden parts
 * there.
 */
function partsOf(line: string, path: string): readonly ShownPart[] {
  const parts = shownParts(line).slice(0, mostParts)
  return parts.map((part, i) => {
    if (typeof part === 'string') return part
    const char = String.fromCodePoint(Number.parseInt(part.code.slice(2), 16))
    const [before, after] = [parts[i - 1], parts[i + 1]]
    const isBetween = (letter: RegExp) =>
      typeof before === 'string' && typeof after === 'string' && letter.test(before.slice(-1)) && letter.test(after)
    if (char === '\f' || (isKeptData(path) && /\p{Cc}/u.test(char))) return char
    if (isProgram(path)) return part
    const isOfUse =
      (/[\u200e\u200f\u061c]/.test(char) && rightToLeft.test(line)) ||
      (char === '\u00ad' && isBetween(/^\p{L}/u)) ||
      (char === '\u200b' && isBetween(unspaced))
    return isOfUse ? char : part
  })
}

/** The word around each hidden part, as far as it distinguishes one place from another. */
function wordsOf(parts: readonly ShownPart[]): readonly string[] {
  const texts = parts.map((part) => (typeof part === 'string' ? part : escapeOf(part)))
  const whole = texts.join('')
  let at = 0
  return texts.map((own) => {
    const before = /\S{0,20}$/.exec(whole.slice(Math.max(0, at - 20), at))?.[0]
    at += own.length
    return `${before}|${own}|${/^\S{0,20}/.exec(whole.slice(at, at + 20))?.[0]}`
  })
}

function hiddenWords(line: string): readonly string[] {
  const parts = shownParts(line).slice(0, mostParts)
  return wordsOf(parts).filter((_, i) => typeof parts[i] !== 'string')
}

/** The reported names, by line. */
function namesToldIn({ path, before, after, isAdded, others }: ChangedText): ReadonlyMap<number, string[]> {
  const told = new Map<number, string[]>()
  if (isAscii(after)) return told
  const words = wordsIn(after, path)
  const known = new Set(wordsIn(before ?? '', path).map(({ word }) => word))
  const readings = new Map<string, Set<string>>()
  for (const word of [...words.flatMap(({ word: each, isCode }) => (isCode ? [each] : [])), ...others]) {
    const reading = readAs(word)
    readings.set(reading, (readings.get(reading) ?? new Set()).add(word))
  }
  for (const { word, line, isCode } of words) {
    if (isAscii(word) || known.has(word) || !isAdded(line)) continue
    const isMistaken = isMixed(word, { isName: isCode }) || (isCode && (readings.get(readAs(word))?.size ?? 0) > 1)
    const names = told.get(line) ?? []
    if (isMistaken && !names.includes(word)) told.set(line, [...names, word])
  }
  return told
}

interface Word {
  readonly word: string
  readonly line: number
  /** True for a word in code; otherwise the word is the whole of a string. */
  readonly isCode: boolean
}

function wordsIn(text: string, path: string): readonly Word[] {
  const syntax = syntaxOf(path, text)
  const [code, commented] = [maskCode(text, syntax), maskStrings(text, syntax)]
  const found: Word[] = []
  let line = 1
  let lineEnd = text.indexOf('\n')
  for (const { 0: word, index } of text.matchAll(/[\p{ID_Start}$_\u01c0-\u01c3][\p{ID_Continue}$]*/gu)) {
    for (; lineEnd >= 0 && lineEnd < index; lineEnd = text.indexOf('\n', lineEnd + 1)) line += 1
    const end = index + word.length
    const isCode = code.slice(index, end) === word
    const isQuoted = /["'`]/.test(text[index - 1] ?? '') && text[index - 1] === text[end]
    if (isCode || (isQuoted && commented.slice(index, end) !== word)) found.push({ word, line, isCode })
  }
  return found
}

/** `\u202e`, or `\u{e0041}` for a code point with more digits. */
function escapeOf({ code }: HiddenCharacter): string {
  const digits = code.slice(2).toLowerCase()
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits}`
}

function escapedWord(word: string): string {
  return Array.from(word, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return isAscii(char) ? char : escapeOf({ code: `U+${code}`, name: '' })
  }).join('')
}

function escapedNames(text: string, names: readonly string[]): string {
  return names.reduce((all, name) => all.replaceAll(name, escapedWord(name)), text)
}

/** Characters of a line that are shown before and after the hidden one. */
const [shownBefore, shownAfter] = [100, 140]

function excerpt(text: string, at: number): string {
  const [start, end] = [Math.max(0, at - shownBefore), at + shownAfter]
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
