const scarce = [
  { what: 'disk space', words: /ENOSPC|EDQUOT|No space left|disk quota/i },
  { what: 'memory', words: /ENOMEM|Cannot allocate/i },
  { what: 'open files', words: /EMFILE|ENFILE|open files/i },
  { what: 'processes', words: /EAGAIN|temporarily unavailable/i },
] as const

/**
 * What a machine has run out of, told from the system's words; null when they speak of something
 * else.
 */
export function lackOf(words: string): (typeof scarce)[number]['what'] | null {
  return scarce.find((each) => each.words.test(words))?.what ?? null
}
