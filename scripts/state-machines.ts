import { readFile, writeFile } from 'node:fs/promises'
import { requestEvents, requestStates, requestTable } from '../src/domain/request.ts'
import { runEvents, runStates, runTable } from '../src/domain/run-machine.ts'
import { storyEvents, storyStates, storyTable } from '../src/domain/story-machine.ts'

export const stateMachinesDoc = new URL('../docs/state-machines.md', import.meta.url)

/** One line for each transition, in the order of states and events. */
const tables = {
  run: rows(runStates, runEvents, (state, event) => runTable[state][event]),
  story: rows(storyStates, storyEvents, (state, event) => {
    const next = storyTable[state][event]
    return next && `${next.state} | ${next.effects.join(', ') || '–'}`
  }),
  request: rows(requestStates, requestEvents, (state, event) => requestTable[state][event]),
}

const heads = {
  run: ['| state | event | next state |', '| --- | --- | --- |'],
  story: ['| state | event | next state | effects, in order |', '| --- | --- | --- | --- |'],
  request: ['| state | event | next state |', '| --- | --- | --- |'],
}

/** The document with the tables between their markers made anew from the code. */
export function withTables(doc: string): string {
  return (['run', 'story', 'request'] as const).reduce((text, name) => {
    const begin = `<!-- ${name} table: made by scripts/state-machines.ts -->`
    const [before, after] = [text.indexOf(begin), text.indexOf(`<!-- end of the ${name} table -->`)]
    if (before < 0 || after < before)
      throw new Error(`docs/state-machines.md has lost the markers of the ${name} table`)
    const table = [...heads[name], ...tables[name]].join('\n')
    return `${text.slice(0, before)}${begin}\n\n${table}\n\n${text.slice(after)}`
  }, doc)
}

function rows<State extends string, Event extends string>(
  states: readonly State[],
  events: readonly Event[],
  next: (state: State, event: Event) => string | undefined,
): readonly string[] {
  return states.flatMap((state) =>
    events.flatMap((event) => {
      const target = next(state, event)
      return target === undefined ? [] : [`| ${state} | ${event} | ${target} |`]
    }),
  )
}

if (import.meta.main) await writeFile(stateMachinesDoc, withTables(await readFile(stateMachinesDoc, 'utf8')))
