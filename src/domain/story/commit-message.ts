/** The trailers that only Drydock may write, since later decisions read them. */
const ownTrailers = ['Drydock-Story', 'Verified-By', 'Reviewed-By'] as const

export interface CommitWords {
  /** The editor's words about the change; the first line is the title. */
  readonly summary: string
  readonly own: { readonly [Name in (typeof ownTrailers)[number]]?: string }
  /** The user's trailers, as `Name: value`. */
  readonly added: readonly string[]
}

/** The message of a handed-over commit: title, body, trailers. */
export function commitMessage({ summary, own, added }: CommitWords): string {
  const [title = '', ...rest] = plainText(summary).trim().split('\n')
  const named = ownTrailers.flatMap((name) => (own[name] === undefined ? [] : [`${name}: ${own[name]}`]))
  const parts = [quoted(title.replace(/^#+\s*/, '')), quoted(rest.join('\n').trim()), [...named, ...added].join('\n')]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/** Removes characters that control a terminal, end a line, or change the direction of writing. */
function plainText(text: string): string {
  return text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, '')
}

/**
 * The editor's words, with any trailers quoted. Git reads trailers from the last paragraph only,
 * other readers from any line, so each line that could be one is quoted. So is a line that git
 * would take for the end of a message.
 */
function quoted(body: string): string {
  return body.replaceAll(trailerLike, '> $&')
}

const trailerLike = /^(?:[ \t]*[\p{L}\p{N}-]+-(?:by|story)[ \t]*[:=]|---(?!\S)|# -+ >8 -)/gimu

/** True if a line is a trailer that a user may add to Drydock's own. */
export function isUsersTrailer(line: string): boolean {
  const name = /^([A-Za-z][A-Za-z0-9-]*): \S[^\p{C}\p{Zl}\p{Zp}]*$/u.exec(line)?.[1]
  return name !== undefined && !ownTrailers.some((own) => own.toLowerCase() === name.toLowerCase())
}
