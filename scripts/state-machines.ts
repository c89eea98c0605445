import { readFile, writeFile } from 'node:fs/promises'
import type { MachineKind } from '../src/domain/machine.ts'
import { initialStates, tableOf } from '../src/domain/machines.ts'
import { listed } from './listed.ts'

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

/** One item for the states that the same events leave in the same way, without the effects. */
function tableText(kind: MachineKind): string {
  const states = together(tableOf(kind).lines.map(({ from, event, to }) => [`${event} → ${to}`, from]))
  const events = together(
    [...states].map(([move, from]) => {
      const [event = '', to] = move.split(' → ')
      return [`${from.join(', ')} → ${to}`, event]
    }),
  )
  const moves = together(
    [...events].map(([change, named]) => {
      const [from = '', to] = change.split(' → ')
      return [from, `${named.join(', ')} → ${to}`]
    }),
  )
  return [...moves].flatMap(([from, each]) => listed(`**${from}**: ${each.join('; ')}`)).join('\n')
}

/** The values of each key, in the order of the first of them. */
function together(pairs: readonly (readonly [key: string, value: string])[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (const [key, value] of pairs) values.set(key, [...(values.get(key) ?? []), value])
  return values
}

if (import.meta.main) await writeFile(stateMachinesDoc, withTables(await readFile(stateMachinesDoc, 'utf8')))
