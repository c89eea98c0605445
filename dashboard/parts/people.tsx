import type { RunLine } from '../../src/api/runs.ts'

const words = [
  ['started', 'started by'],
  ['answered', 'answered by'],
  ['accepted', 'accepted by'],
  ['merged', 'landed by'],
] as const

/** The people of a Run and their roles, on a hub; empty on the dashboard of one user. */
export function People({ of: { people } }: { readonly of: Pick<RunLine, 'people'> }) {
  if (people === undefined) return null
  return words.map(([part, word]) => people[part].length > 0 && <Part key={part} word={word} names={people[part]} />)
}

function Part({ word, names }: { readonly word: string; readonly names: readonly string[] }) {
  return (
    <span className="people">
      {word} {names.join(', ')}
    </span>
  )
}
