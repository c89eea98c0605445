import { join } from 'node:path'
import { reading } from '../../../src/app/reading.ts'
import { openEscalations } from '../../../src/app/views/open-escalations.ts'
import { load } from '../../../src/workflow/machines.ts'
import { call, type Fixture } from './fixture.ts'

export const lane = 'architect/INTERVIEW'

/** Suggests two answers and recommends the second. */
export const question = (text: string, more: object = {}): object => ({
  question: text,
  why: 'value.txt shows both.',
  options: [`${text} One way.`, `${text} Another way.`],
  recommended: 2,
  ...more,
})

export const ask = (...questions: readonly object[]): object => call('ask_user', { questions })

export const spec = (more: object = {}): object =>
  call('submit_spec', {
    title: 'Say new',
    goal: 'A reader of value.txt sees that it is new.',
    behaviour: ['value.txt says `new`.\nFor example:\n  new'],
    acceptance_criteria: ['value.txt says new'],
    non_goals: ['No other file'],
    open_risks: [],
    ...more,
  })

export const text = `# Say new

## Goal

A reader of value.txt sees that it is new.

## Behaviour

- value.txt says \`new\`.
  For example:
    new

## Acceptance criteria

- value.txt says new

## Non-goals

- No other file

## Open risks

- None known.
`

export const specFile = ({ folder }: Fixture): string => join(folder, 'spec.md')

/** Ids of the open questions of a Run, in order. */
export async function openQuestions(fixture: Fixture, run: string): Promise<readonly string[]> {
  return reading(await fixture.open(), async (records) => {
    const open = await openEscalations(records, await load(records, 'run', run))
    return open.map(({ message }) => message.id)
  })
}
