import type { Redact } from './redact.ts'

/** A text that still grows, as far as it can be shown: what may yet become a secret is left out. */
export type RedactSpeech = (text: string) => string

/** A word that may be a line of a private key, of which only its end tells. */
const material = /[A-Za-z0-9+/]{32}/
/** The line behind a private key, as long as it is not whole: it has several words. */
const unfinishedEnd = /-----END(?: [A-Z0-9 ]{0,60}-{0,4})?$/

/**
 * Made from the same secrets as `redact`. The last word is held back until the next has begun:
 * every shape of a secret ends with a word, and only a whole one has its shape. So are the lines
 * before it that may belong to a key, and what a secret of several words begins with.
 */
export function createSpeechRedactor(secrets: readonly string[], redact: Redact): RedactSpeech {
  const spaced = secrets.filter((secret) => /\s/.test(secret))
  return (text) => {
    const end = Math.min(endOfWords(text), ...spaced.map((secret) => text.length - begun(text, secret)))
    // What lies on both sides of the cut is a secret in the whole text alone, and differs there.
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

/** Where the word begins that ends there. */
function startOfWord(text: string, end: number): number {
  let at = end
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at -= 1
  return at
}

/** How many characters of a secret the text ends with. */
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
