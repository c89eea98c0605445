import { useQuery } from '@tanstack/react-query'
import type { Escalation } from '../../src/api/chat.ts'
import type { People } from '../../src/api/commands.ts'
import { apiPath, get } from '../data/client.ts'
import { useOperation } from '../data/operation.ts'
import { forOperators } from './for-operators.tsx'
import { Problem } from './notice.tsx'

interface Props {
  readonly asked: Escalation
}

/** The person of a hub whom a question is for. Everybody sees it; operators set it. */
export const AssignedTo = forOperators(Assign, ({ asked: { assigned_to } }: Props) =>
  assigned_to === null ? null : <span className="sub">for {assigned_to}</span>,
)

function Assign({ asked: { id, assigned_to: assigned } }: Props) {
  const { data } = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => get<People>(apiPath('people'), signal),
    staleTime: 60_000,
  })
  const assign = useOperation('assign')
  const names = [...new Set([...(data?.operators ?? []), ...(assigned === null ? [] : [assigned])])].sort()
  return (
    <>
      <label className="row tight sub">
        for
        <select
          className="input slim"
          value={assigned ?? ''}
          disabled={assign.isPending}
          onChange={({ target }) => assign.mutate({ id, to: target.value === '' ? null : target.value })}
        >
          <option value="">everybody</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {assign.isError && <Problem error={assign.error} />}
    </>
  )
}
