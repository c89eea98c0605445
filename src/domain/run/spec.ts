import { subjectOf } from './subject.ts'

/** The spec that a crew builds, or the words that one is made from. */
export interface Spec {
  readonly text: string
  /** Where it comes from, as people name it: a file's name, `stdin`, or `text`. */
  readonly source: string
}

/** Behind its front matter, its first heading, else its first line; at most 100 characters. */
export function titleOfSpec({ text }: Spec): string {
  const after = subjectOf(text).replace(/^---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/, '')
  const lines = (after.trim() === '' ? text : after).split('\n').map((line) => line.trim())
  const heading = lines.find((line) => /^#+\s+\S/.test(line)) ?? lines.find((line) => line !== '') ?? ''
  return heading
    .replace(/^#+\s+/, '')
    .slice(0, 100)
    .replace(/[\ud800-\udbff]$/, '')
}
