import { readFile, writeFile } from 'node:fs/promises'
import { storyEvents, storyStates, storyTable } from '../src/domain/story-machine.ts'

export const stateMachinesDoc = new URL('../docs/state-machines.md', import.meta.url)

const begin = '<!-- story table: made by scripts/state-machines.ts -->'
const end = '<!-- end of the story table -->'

/** The document with the table between its markers made anew from the code. */
export function withStoryTable(doc: string): string {
  const [before, after] = [doc.indexOf(begin), doc.indexOf(end)]
  if (before < 0 || after < before) throw new Error('docs/state-machines.md has lost its markers')
  return `${doc.slice(0, before)}${begin}\n\n${storyRows().join('\n')}\n\n${doc.slice(after)}`
}

function storyRows(): readonly string[] {
  const rows = storyStates.flatMap((state) =>
    storyEvents.flatMap((event) => {
      const next = storyTable[state][event]
      return next ? [`| ${state} | ${event} | ${next.state} | ${next.effects.join(', ') || '–'} |`] : []
    }),
  )
  return ['| state | event | next state | effects, in order |', '| --- | --- | --- | --- |', ...rows]
}

if (import.meta.main) await writeFile(stateMachinesDoc, withStoryTable(await readFile(stateMachinesDoc, 'utf8')))
