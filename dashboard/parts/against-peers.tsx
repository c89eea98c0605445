import type { StoryLine } from '../../src/api/runs.ts'

/** A mark for a story that has taken far more than the others of its run; empty for all others. */
export function AgainstPeers({ of: { calls, time } }: { readonly of: StoryLine['against_peers'] }) {
  const most = Math.max(calls ?? 0, time ?? 0)
  if (most === 0) return null
  const parts = [calls !== null && `${calls}× the calls`, time !== null && `${time}× the time`].filter(Boolean)
  return (
    <span className="against-peers" title={`${parts.join(' and ')} of the median of its peers`}>
      {most}× its peers
      <span className="visually-hidden"> ({parts.join(' and ')} of their median)</span>
    </span>
  )
}
