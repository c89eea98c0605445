/** A character that a reader does not see, or that changes the order of the text around it. */
export interface HiddenCharacter {
  /** The code point, as `U+202E`. */
  readonly code: string
  /** The name or kind of the character. */
  readonly name: string
}

/** A part of a text as people see it: words, or a character that they would not see. */
export type ShownPart = string | HiddenCharacter

/**
 * Controls, format and direction marks, invisible characters and unassigned ones. A character that
 * a script or an emoji needs at its place does not count: see `isNeeded`.
 */
const suspect = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/gu

/** A quick check: most texts have only these characters. */
const plain = /^[\t\n\x20-\x7e]*$/

/** Format characters with a glyph, such as the Arabic year sign. */
const drawn = /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u

const scripts = [
  'Arab',
  'Syrc',
  'Mong',
  'Nkoo',
  'Mand',
  'Phag',
  'Deva',
  'Beng',
  'Guru',
  'Gujr',
  'Orya',
  'Taml',
  'Telu',
  'Knda',
  'Mlym',
  'Sinh',
  'Khmr',
  'Mymr',
  'Tibt',
  'Java',
  'Bali',
]
/** A letter, with its marks, of a script in which joiners change the glyphs. */
const joining = `(?:${scripts.map((name) => `(?=[\\p{L}\\p{M}])\\p{scx=${name}}`).join('|')})`
const virama = '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]'
const beforeJoiner = new RegExp(`${joining}$`, 'u')
const afterJoiner = new RegExp(`^${joining}`, 'u')
const endsInVirama = new RegExp(`${virama}$`, 'u')
const emojiBefore = /(?:\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})$/u
const emojiAfter = /^\p{Extended_Pictographic}/u

/** The three flags that are spelled in tags: England, Scotland and Wales. */
const flags = new Set(['gbeng', 'gbsct', 'gbwls'])
const flagBefore = /\u{1f3f4}([\u{e0061}-\u{e007a}]*)$/u
const flagAfter = /^([\u{e0061}-\u{e007a}]*)\u{e007f}/u

/** Code units around a character that its rule examines. */
const near = 16

/** The parts of a text in their order; a text without hidden characters is one part. */
export function shownParts(text: string): readonly ShownPart[] {
  if (plain.test(text)) return text === '' ? [] : [text]
  const parts: ShownPart[] = []
  let from = 0
  for (const { 0: char, index } of text.matchAll(suspect)) {
    if (isNeeded(text, char, index)) continue
    if (index > from) parts.push(text.slice(from, index))
    parts.push({ code: codeOf(char), name: nameOf(char) })
    from = index + char.length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** True if a text has no hidden characters. */
export function isShown(text: string): boolean {
  return shownParts(text).every((part) => typeof part === 'string')
}

/** The text with a mark such as ⟨U+202E⟩ in the place of each hidden character. */
export function markedText(text: string): string {
  return plain.test(text) ? text : shownParts(text).map(partText).join('')
}

export function partText(part: ShownPart): string {
  return typeof part === 'string' ? part : `⟨${part.code}⟩`
}

/** The text without its hidden characters. */
export function withoutHidden(text: string): string {
  return plain.test(text)
    ? text
    : shownParts(text)
        .filter((part) => typeof part === 'string')
        .join('')
}

/** True if the neighbours of a character need it, so that a reader sees its effect. */
function isNeeded(text: string, char: string, at: number): boolean {
  if (drawn.test(char)) return true
  const before = text.slice(Math.max(0, at - near), at)
  const after = text.slice(at + char.length, at + char.length + near)
  // The end of a Windows line.
  if (char === '\r') return after === '' || after.startsWith('\n')
  if (char === '\u200c' || char === '\u200d') {
    if (char === '\u200d' && emojiBefore.test(before) && emojiAfter.test(after)) return true
    return beforeJoiner.test(before) && (afterJoiner.test(after) || endsInVirama.test(before))
  }
  if (char === '\ufe0f') return /\p{Extended_Pictographic}$/u.test(before) || isKeycap(before, after)
  if (char === '\ufe0e') return /\p{Extended_Pictographic}$/u.test(before)
  if (/^[\ufe00-\ufe0d]$/u.test(char)) return /[\p{Sm}\p{Ideographic}\p{scx=Mymr}\p{scx=Phag}]$/u.test(before)
  if (/^[\u{e0100}-\u{e01ef}]$/u.test(char)) return /\p{Ideographic}$/u.test(before)
  if (/^[\u180b-\u180d\u180f]$/u.test(char)) return /(?=\p{L})\p{scx=Mong}$/u.test(before)
  if (/^[\u{e0061}-\u{e007a}\u{e007f}]$/u.test(char)) return isInFlag(before, char, after)
  return false
}

function isKeycap(before: string, after: string): boolean {
  return /[0-9#*]$/.test(before) && after.startsWith('\u20e3')
}

function isInFlag(before: string, char: string, after: string): boolean {
  const start = flagBefore.exec(before)?.[1]
  const rest = char === '\u{e007f}' ? '' : flagAfter.exec(after)?.[1]
  if (start === undefined || rest === undefined) return false
  return flags.has(spelled(`${start}${char === '\u{e007f}' ? '' : char}${rest}`))
}

function spelled(tags: string): string {
  return Array.from(tags, (tag) => String.fromCodePoint(pointOf(tag) - 0xe0000)).join('')
}

function pointOf(char: string): number {
  return char.codePointAt(0) ?? 0
}

function codeOf(char: string): string {
  return `U+${pointOf(char).toString(16).toUpperCase().padStart(4, '0')}`
}

const names: Readonly<Record<string, string>> = {
  '\0': 'NULL',
  '\b': 'BACKSPACE',
  '\r': 'CARRIAGE RETURN',
  '\u001b': 'ESCAPE',
  '\u007f': 'DELETE',
  '\u00ad': 'SOFT HYPHEN',
  '\u034f': 'COMBINING GRAPHEME JOINER',
  '\u061c': 'ARABIC LETTER MARK',
  '\u115f': 'HANGUL CHOSEONG FILLER',
  '\u1160': 'HANGUL JUNGSEONG FILLER',
  '\u3164': 'HANGUL FILLER',
  '\uffa0': 'HALFWIDTH HANGUL FILLER',
  '\u180e': 'MONGOLIAN VOWEL SEPARATOR',
  '\u200b': 'ZERO WIDTH SPACE',
  '\u200c': 'ZERO WIDTH NON-JOINER',
  '\u200d': 'ZERO WIDTH JOINER',
  '\u200e': 'LEFT-TO-RIGHT MARK',
  '\u200f': 'RIGHT-TO-LEFT MARK',
  '\u2028': 'LINE SEPARATOR',
  '\u2029': 'PARAGRAPH SEPARATOR',
  '\u202a': 'LEFT-TO-RIGHT EMBEDDING',
  '\u202b': 'RIGHT-TO-LEFT EMBEDDING',
  '\u202c': 'POP DIRECTIONAL FORMATTING',
  '\u202d': 'LEFT-TO-RIGHT OVERRIDE',
  '\u202e': 'RIGHT-TO-LEFT OVERRIDE',
  '\u2060': 'WORD JOINER',
  '\u2061': 'FUNCTION APPLICATION',
  '\u2062': 'INVISIBLE TIMES',
  '\u2063': 'INVISIBLE SEPARATOR',
  '\u2064': 'INVISIBLE PLUS',
  '\u2066': 'LEFT-TO-RIGHT ISOLATE',
  '\u2067': 'RIGHT-TO-LEFT ISOLATE',
  '\u2068': 'FIRST STRONG ISOLATE',
  '\u2069': 'POP DIRECTIONAL ISOLATE',
  '\u2800': 'BRAILLE PATTERN BLANK',
  '\ufeff': 'ZERO WIDTH NO-BREAK SPACE (BYTE ORDER MARK)',
}

/** The character's Unicode name, or its kind. */
function nameOf(char: string): string {
  const known = names[char]
  if (known !== undefined) return known
  const point = pointOf(char)
  if (point >= 0xe0020 && point <= 0xe007e) return `TAG ${String.fromCodePoint(point - 0xe0000)}`
  if (/\p{Variation_Selector}/u.test(char)) return 'VARIATION SELECTOR'
  if (/\p{Cc}/u.test(char)) return 'CONTROL CHARACTER'
  if (/\p{Co}/u.test(char)) return 'PRIVATE USE CHARACTER'
  if (/\p{Cs}/u.test(char)) return 'HALF OF A SURROGATE PAIR'
  return /\p{Cn}/u.test(char) ? 'UNASSIGNED CHARACTER' : 'INVISIBLE CHARACTER'
}
