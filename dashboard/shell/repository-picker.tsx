import type { RunList } from '../../src/api/runs.ts'
import { useOpenRepository, useRepositories } from '../pages/repositories/use-repositories.ts'

/** The current repository, and links to the user's other ones. */
export function RepositoryPicker({ list }: { readonly list: RunList }) {
  const others =
    useRepositories({ again: false }).data?.repositories.filter(({ place, current }) => current || place === 'here') ??
    []
  const open = useOpenRepository()
  const name = list.repository.split('/').findLast((part) => part !== '') ?? ''
  const current = others.find((each) => each.current)
  if (current === undefined || others.length < 2) return <p className="repository-name">{name}</p>
  return (
    <div className="run-picker">
      <label>
        Repository
        <select
          className="input"
          value={current.id}
          disabled={open.isPending}
          onChange={({ target }) => target.value !== current.id && open.mutate({ id: target.value })}
        >
          {others.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
              {!each.current && each.escalations.length > 0 ? ` (${each.escalations.length} to answer)` : ''}
            </option>
          ))}
        </select>
      </label>
      {open.isError && (
        <p className="sub" role="alert">
          It cannot be opened. See Repositories.
        </p>
      )}
    </div>
  )
}
