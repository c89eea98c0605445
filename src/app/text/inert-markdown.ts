/**
 * Text of other authors in Drydock's Markdown is shown as code. A forge then follows no mention,
 * closes no issue, runs no quick action, loads no image and renders no HTML in it.
 */

const lineChars = 100

/** A code block, with long lines broken between words. */
export function inertBlock(text: string): string {
  const shown = plain(text).trim()
  const lines = shown.split('\n').flatMap(broken)
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1))
  return [`${fence}text`, ...lines, fence].join('\n')
}

/** A few words on one line, as inline code. */
export function inertWords(text: string): string {
  const line = plain(text).replaceAll(/\s+/g, ' ').replaceAll('|', '¦').trim()
  const mark = '`'.repeat(longestRun(line) + 1)
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return line === '' ? '' : `${mark}${space}${line}${space}${mark}`
}

/**
 * Removes characters that control a terminal, end a line unexpectedly, or change the direction of
 * writing.
 */
function plain(text: string): string {
  return text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, '')
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}

function broken(line: string): readonly string[] {
  const parts: string[] = []
  let rest = line
  while (rest.length > lineChars) {
    const space = rest.lastIndexOf(' ', lineChars)
    // Keeps a long word whole, since it may be an address.
    const end = space > lineChars / 2 ? space : rest.indexOf(' ', lineChars)
    if (end < 0) break
    parts.push(rest.slice(0, end))
    rest = rest.slice(end + 1)
  }
  return [...parts, rest]
}
