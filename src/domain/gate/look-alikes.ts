/** Pairs of a letter and the Latin letter that looks the same in the fonts of editors. */
const same = [
  // Cyrillic
  'аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwӏlѵvАAВBЕEКKМMНHОOРPСCТTХXУYІIЈJЅSԌGԚQԜWӀI',
  // Greek
  'οoϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹCͿJ',
  // Armenian, Cherokee, Lisu, Coptic
  'օoսuոnհhցgզqԼLՕOՏSᎪAᏴBᏟCᎠDᎬEᏀGᎻHᎥiᎫJᏦKᏞLᎷMᏢPᏒRᏚSᎢTᏙVᎳWᏃZꓮAꓐBꓚCꓓDꓰEꓝFꓖGꓧHꓲIꓙJꓗKꓡLꓟMꓠNꓳOꓑPꓣRꓢSꓔTꓴUꓦVꓪWꓫXꓬYꓜZⲟoⲞOⲣpⲢPⲤC',
].join('')

/** Phonetic letters, which Unicode also counts as Latin. */
const phonetic = 'ɑaɡgƽsʏyᴏoᴄcᴜuᴠvᴡwᴢz'

/** Letters that a second look tells apart. */
const alike = 'кkмmтtвbнhгrпnзzьbαaγyηnιiκkνvρpσoτtυuχxωw'

function pairsOf(text: string): ReadonlyMap<string, string> {
  const chars = Array.from(text)
  return new Map(chars.flatMap((char, i) => (i % 2 === 0 ? [[char, chars[i + 1] ?? '']] : [])))
}

const latinOf = pairsOf(same)
const inNames = pairsOf(phonetic)
const nearLatinOf = pairsOf(same + phonetic + alike)

/** Characters that Unicode counts as letters and that look like an operator or a quote. */
const signs = /[\u01c0-\u01c3\u02b9-\u02bd\u02c8\u02d0\ua4f8-\ua4fd\ua78c]/u

/** Runs of letters with their marks: Latin ones, and all others. */
const runs = /(?:(?=\p{L})\p{Script=Latin}\p{M}*)+|(?:(?!\p{Script=Latin})\p{L}\p{M}*)+/gu

/**
 * True if a word mixes look-alike letters of two alphabets, so that it reads as another word.
 * `isName` is false for a word of prose, where letters may be wide, mathematical or phonetic.
 */
export function isMixed(word: string, { isName }: { readonly isName: boolean }): boolean {
  if (isAscii(word)) return false
  if (isName && signs.test(word)) return true
  const plain = word.normalize('NFKC')
  // Python treats wide and mathematical letters as the usual ones.
  if (isName && word.length > 1 && plain !== word.normalize('NFC') && isAscii(plain)) return true
  const found = [...plain.matchAll(runs)].map(({ 0: run, index }) => ({ run, start: index, end: index + run.length }))
  return found.some(({ run, start, end }, i) => {
    const isBefore = found[i - 1]?.end === start
    const isAfter = found[i + 1]?.start === end
    if (/^\p{Script=Latin}/u.test(run)) {
      if (isName && Array.from(run).some((char) => inNames.has(char))) return word.length > 1
      // The run looks like the letters around it.
      return isBefore && isAfter && Array.from(run).every((char) => drawnLikeOthers.has(char))
    }
    return (isBefore || isAfter) && Array.from(run).every((char) => latinOf.has(char))
  })
}

const drawnLikeOthers = new Set(latinOf.values())

/** The word as a reader may take it: words that look alike get the same result. */
export function readAs(word: string): string {
  if (isAscii(word)) return word
  // Greek letters of mathematics beside Latin ones are meant: `ρ1` and `p1`.
  const letters = /[\p{L}\p{M}]{4}/u.test(word) || !/\p{Script=Greek}/u.test(word) ? nearLatinOf : latinOf
  const known = Array.from(word).length === 1 ? latinOf : letters
  return Array.from(word.normalize('NFKC'), (char) => known.get(char) ?? char).join('')
}

/** True if a text has only ASCII characters. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}
