/** Pairs of a letter and the Latin one that it is drawn like, in the fonts of editors. */
const same = [
  // Cyrillic
  'аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwӏlѵvАAВBЕEКKМMНHОOРPСCТTХXУYІIЈJЅSԌGԚQԜWӀI',
  // Greek
  'οoϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹCͿJ',
  // Armenian, Cherokee, Lisu, Coptic
  'օoսuոnհhցgզqԼLՕOՏSᎪAᏴBᏟCᎠDᎬEᏀGᎻHᎥiᎫJᏦKᏞLᎷMᏢPᏒRᏚSᎢTᏙVᎳWᏃZꓮAꓐBꓚCꓓDꓰEꓝFꓖGꓧHꓲIꓙJꓗKꓡLꓟMꓠNꓳOꓑPꓣRꓢSꓔTꓴUꓦVꓪWꓫXꓬYꓜZⲟoⲞOⲣpⲢPⲤC',
].join('')

/** Letters of phonetics, which are called Latin, too. */
const phonetic = 'ɑaɡgƽsʏyᴏoᴄcᴜuᴠvᴡwᴢz'

/** Those that somebody who looks twice tells apart. */
const alike = 'кkмmтtвbнhгrпnзzьbαaγyηnιiκkνvρpσoτtυuχxωw'

function pairsOf(text: string): ReadonlyMap<string, string> {
  const chars = Array.from(text)
  return new Map(chars.flatMap((char, i) => (i % 2 === 0 ? [[char, chars[i + 1] ?? '']] : [])))
}

const latinOf = pairsOf(same)
const inNames = pairsOf(phonetic)
const nearLatinOf = pairsOf(same + phonetic + alike)

/** Letters by Unicode that are drawn like an operator or a quote. */
const signs = /[\u01c0-\u01c3\u02b9-\u02bd\u02c8\u02d0\ua4f8-\ua4fd\ua78c]/u

/** Runs of letters with the marks on them: Latin ones, and all others. */
const runs = /(?:(?=\p{L})\p{Script=Latin}\p{M}*)+|(?:(?!\p{Script=Latin})\p{L}\p{M}*)+/gu

/**
 * Whether letters of two alphabets in a word are drawn alike, so that it reads as another word.
 * `isName`: no word of a text, where letters may be wide, mathematical or phonetic.
 */
export function isMixed(word: string, { isName }: { readonly isName: boolean }): boolean {
  if (isAscii(word)) return false
  if (isName && signs.test(word)) return true
  const plain = word.normalize('NFKC')
  // Wide and mathematical letters, which Python takes for the usual ones.
  if (isName && word.length > 1 && plain !== word.normalize('NFC') && isAscii(plain)) return true
  const found = [...plain.matchAll(runs)].map(({ 0: run, index }) => ({ run, start: index, end: index + run.length }))
  return found.some(({ run, start, end }, i) => {
    const isBefore = found[i - 1]?.end === start
    const isAfter = found[i + 1]?.start === end
    if (/^\p{Script=Latin}/u.test(run)) {
      if (isName && Array.from(run).some((char) => inNames.has(char))) return word.length > 1
      // One that is drawn like the letters of the word around it.
      return isBefore && isAfter && Array.from(run).every((char) => drawnLikeOthers.has(char))
    }
    return (isBefore || isAfter) && Array.from(run).every((char) => latinOf.has(char))
  })
}

const drawnLikeOthers = new Set(latinOf.values())

/** The word as it may be read: words that are read alike have the same. */
export function readAs(word: string): string {
  if (isAscii(word)) return word
  // Letters of mathematics beside Latin ones mean what they say: `ρ1` and `p1`.
  const letters = /[\p{L}\p{M}]{4}/u.test(word) || !/\p{Script=Greek}/u.test(word) ? nearLatinOf : latinOf
  const known = Array.from(word).length === 1 ? latinOf : letters
  return Array.from(word.normalize('NFKC'), (char) => known.get(char) ?? char).join('')
}

/** Whether a text has nothing but ASCII characters. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}
