import { subjectOf } from './subject.ts'

/** The spec that a crew builds, or the words from which one is written. */
export interface Spec {
  readonly text: string
  /** The origin of the spec, as people name it: a file's name, `stdin`, or `text`. */
  readonly source: string
}

/** The first heading after the front matter, else the first line; at most 100 characters. */
export function titleOfSpec({ text }: Spec): string {
  const after = subjectOf(text).replace(/^---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/, '')
  const lines = (after.trim() === '' ? text : after).split('\n').map((line) => line.trim())
  const heading = lines.find((line) => /^#+\s+\S/.test(line)) ?? lines.find((line) => line !== '') ?? ''
  return heading
    .replace(/^#+\s+/, '')
    .slice(0, 100)
    .replace(/[\ud800-\udbff]$/, '')
}
