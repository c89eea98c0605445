import { readFile, writeFile } from 'node:fs/promises'
import { outcomeTable } from '../src/domain/run/outcome-table.ts'
import { listed } from './listed.ts'

export const glossaryDoc = new URL('../docs/glossary.md', import.meta.url)

const begin = '<!-- made by scripts/outcome-table.ts -->'
const end = '<!-- end of the table -->'

/** The glossary with its outcomes regenerated from the code. */
export function withOutcomes(doc: string): string {
  const [before, after] = [doc.indexOf(begin), doc.indexOf(end)]
  if (before < 0 || after < before) throw new Error('docs/glossary.md has lost the markers of its table')
  return `${doc.slice(0, before)}${begin}\n\n${table()}\n\n${doc.slice(after)}`
}

function table(): string {
  return Object.entries(outcomeTable)
    .flatMap(([name, { means, todo, codes }]) => {
      const exits = [...new Set(Object.values<number>(codes))].filter((code) => code !== 130)
      const exit = exits.length === 0 ? '' : ` (exit code ${exits.join(' or ')})`
      return listed(`**${name}**${exit}: ${means}.${todo === '' ? '' : ` Next: ${todo}.`}`)
    })
    .join('\n')
}

if (import.meta.main) await writeFile(glossaryDoc, withOutcomes(await readFile(glossaryDoc, 'utf8')))
