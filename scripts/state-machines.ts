import { readFile, writeFile } from 'node:fs/promises'
import type { MachineKind } from '../src/domain/machine.ts'
import { initialStates, tableOf } from '../src/domain/machines.ts'

export const stateMachinesDoc = new URL('../docs/state-machines.md', import.meta.url)

/** In the order of the document. */
export const documented = Object.keys(initialStates) as readonly MachineKind[]

/** The document with the tables between its markers regenerated from the code. */
export function withTables(doc: string): string {
  return documented.reduce((text, kind) => {
    const begin = `<!-- ${kind} table: made by scripts/state-machines.ts -->`
    const [before, after] = [text.indexOf(begin), text.indexOf(`<!-- end of the ${kind} table -->`)]
    if (before < 0 || after < before)
      throw new Error(`docs/state-machines.md has lost the markers of the ${kind} table`)
    return `${text.slice(0, before)}${begin}\n\n${tableText(kind)}\n\n${text.slice(after)}`
  }, doc)
}

/** One line for each transition. Only a story's transitions have effects. */
function tableText(kind: MachineKind): string {
  const { lines } = tableOf(kind)
  const hasEffects = lines.some(({ effects }) => effects.length > 0)
  const columns = ['state', 'event', 'next state', ...(hasEffects ? ['effects, in order'] : [])]
  const rows = lines.map(({ from, event, to, effects }) => [
    ...[from, event, to],
    ...(hasEffects ? [effects.join(', ') || '–'] : []),
  ])
  return [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

if (import.meta.main) await writeFile(stateMachinesDoc, withTables(await readFile(stateMachinesDoc, 'utf8')))
