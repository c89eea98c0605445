import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { documented, stateMachinesDoc, withTables } from '../../scripts/state-machines.ts'
import { tableOf } from '../../src/domain/machines.ts'

const doc = await readFile(stateMachinesDoc, 'utf8')

test('docs/state-machines.md holds the tables of the code; `npm run docs` makes it', () => {
  expect(withTables(doc)).toBe(doc)
})

test.each(documented)('the table of the %s has each transition once', (name) => {
  const section = doc.slice(doc.indexOf(`<!-- ${name} table`), doc.indexOf(`<!-- end of the ${name} table`))
  const items = section.replaceAll(/\n {2}/g, ' ').matchAll(/^- \*\*([A-Z_, ]+)\*\*: (.*)$/gm)
  const rows = [...items].flatMap(([, states = '', moves = '']) => moves.split('; ').map((move) => ({ states, move })))
  const written = rows.flatMap(({ states, move }) => {
    const [events = '', outcome] = move.split(' → ')
    return states.split(', ').flatMap((from) => events.split(', ').map((event) => `${from} ${event} ${outcome}`))
  })
  const transitions = tableOf(name).lines.map(({ from, event, to }) => `${from} ${event} ${to}`)
  expect(written.toSorted()).toEqual(transitions.toSorted())
})

test.each(documented)('the text before the table of the %s says what each state means', (name) => {
  const table = doc.indexOf(`<!-- ${name} table`)
  const words: readonly string[] = doc.slice(doc.lastIndexOf('\n## ', table), table).match(/\b[A-Z_]+\b/g) ?? []
  expect(tableOf(name).states.filter((state) => !words.includes(state))).toEqual([])
})

test('a document that has lost a marker is not written over', () => {
  expect(() => withTables(doc.replace('<!-- end of the story table -->', ''))).toThrow('markers of the story table')
})
