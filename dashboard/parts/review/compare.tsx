import { useId } from 'react'
import type { CommitPair } from '../../data/queries.ts'

/** A commit that can be compared. */
export interface Version {
  readonly sha: string
  readonly title: string
}

interface Props {
  readonly versions: readonly Version[]
  /** The commit that the person saw last, if there is a newer one. */
  readonly seen: string | null
  readonly compared: CommitPair
  readonly compare: (compared: CommitPair) => void
}

/** Selects the two states of the work to compare. */
export function Compare({ versions, seen, compared: { from, to }, compare }: Props) {
  const id = useId()
  if (versions.length === 0 && seen === null) return null
  return (
    <div className="compare row">
      <label htmlFor={`${id}from`}>From</label>
      <select
        id={`${id}from`}
        className="input"
        value={from ?? ''}
        onChange={({ target }) => compare({ from: target.value || null, to })}
      >
        <option value="">the start</option>
        {seen !== null && <option value={seen}>what you last saw</option>}
        <Options versions={versions.filter(({ sha }) => sha !== to)} />
      </select>
      <label htmlFor={`${id}to`}>to</label>
      <select
        id={`${id}to`}
        className="input"
        value={to ?? ''}
        onChange={({ target }) => compare({ from, to: target.value || null })}
      >
        <option value="">now</option>
        <Options versions={versions.filter(({ sha }) => sha !== from)} />
      </select>
    </div>
  )
}

function Options({ versions }: Pick<Props, 'versions'>) {
  return versions.map(({ sha, title }) => (
    <option key={sha} value={sha}>
      {title}
    </option>
  ))
}
