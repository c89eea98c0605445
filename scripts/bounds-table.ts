import { readFile, writeFile } from 'node:fs/promises'
import { type StoryBound, storyBounds } from '../src/domain/story/bounds.ts'
import { listed } from './listed.ts'

export const boundsDoc = new URL('../docs/bounds.md', import.meta.url)

const begin = '<!-- made by scripts/bounds-table.ts -->'
const end = '<!-- end of the table -->'

/** The document with its table regenerated from the code. */
export function withBounds(doc: string): string {
  const [before, after] = [doc.indexOf(begin), doc.indexOf(end)]
  if (before < 0 || after < before) throw new Error('docs/bounds.md has lost the markers of its table')
  return `${doc.slice(0, before)}${begin}\n\n${table()}\n\n${doc.slice(after)}`
}

function table(): string {
  return Object.entries<StoryBound>(storyBounds)
    .flatMap(([name, { what, most, isReviewed, anew, atEnd }]) =>
      listed(
        `\`${name}\`: ${most} ${what}${isReviewed ? ', with an architect' : ''}. Then ${atEnd}. Reset by ${anew}.`,
      ),
    )
    .join('\n')
}

if (import.meta.main) await writeFile(boundsDoc, withBounds(await readFile(boundsDoc, 'utf8')))
