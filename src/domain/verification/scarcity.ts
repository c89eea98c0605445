const scarce = [
  { what: 'disk space', words: /ENOSPC|EDQUOT|No space left|disk quota|out of diskspace/i },
  { what: 'memory', words: /ENOMEM|Cannot allocate/i },
  { what: 'open files', words: /EMFILE|ENFILE|open files/i },
  { what: 'processes', words: /EAGAIN|temporarily unavailable/i },
] as const

/**
 * The resource that a machine has run out of, recognized by the system's words; null for other
 * words.
 */
export function lackOf(words: string): (typeof scarce)[number]['what'] | null {
  return scarce.find((each) => each.words.test(words))?.what ?? null
}
