import type { Screen, Tone } from './screen.ts'

/**
 * A unified diff without its last line end. Coloured in a terminal; elsewhere unchanged byte for
 * byte, so that git can apply it.
 */
export function paintDiff(screen: Screen, diff: string): string {
  const text = diff.replace(/\n$/, '')
  if (screen.columns === null) return text
  return screen
    .clean(text)
    .split('\n')
    .map((line) => screen.paint(toneOf(line), line))
    .join('\n')
}

function toneOf(line: string): Tone {
  if (/^(?:diff |index |--- |\+\+\+ )/.test(line)) return 'strong'
  if (line.startsWith('@@')) return 'faint'
  if (line.startsWith('+')) return 'good'
  return line.startsWith('-') ? 'bad' : 'plain'
}
