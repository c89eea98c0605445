import type { Redact } from './redact.ts'

/** Redacts a growing text, and leaves out its end while that may become a secret. */
export type RedactSpeech = (text: string) => string

/** A word that may be a line of a private key, which only the end of the block reveals. */
const material = /[A-Za-z0-9+/]{32}/
/** The incomplete last line of a private key, which has several words. */
const unfinishedEnd = /-----END(?: [A-Z0-9 ]{0,60}-{0,4})?$/

/**
 * Uses the same secrets as `redact`. The last word is held back until the next one begins: every
 * shape of a secret ends with a word, and matches only a whole one. Also held back are the lines
 * before that may belong to a key, and the beginning of a secret of several words.
 */
export function createSpeechRedactor(secrets: readonly string[], redact: Redact): RedactSpeech {
  const spaced = secrets.filter((secret) => /\s/.test(secret))
  return (text) => {
    const end = Math.min(endOfWords(text), ...spaced.map((secret) => text.length - begun(text, secret)))
    // A secret across the cut is found only in the whole text, so the two results differ there.
    return commonStart(redact(text), redact(text.slice(0, end)))
  }
}

function endOfWords(text: string): number {
  const open = unfinishedEnd.exec(text)?.index ?? text.length
  let end = startOfWord(text, open)
  while (end > 0) {
    const before = startOfWord(text, end - 1)
    const word = text.slice(before, end).trim()
    if (word !== '' && !material.test(word)) break
    end = before
  }
  return end
}

/** The beginning of the word that ends there. */
function startOfWord(text: string, end: number): number {
  let at = end
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at -= 1
  return at
}

/** The number of characters of a secret with which the text ends. */
function begun(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}

function commonStart(a: string, b: string): string {
  let at = 0
  while (at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  return b.slice(0, at)
}
