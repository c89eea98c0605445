import { idOf, type PlacedTalk } from './talk.ts'

interface Props {
  readonly placed: readonly PlacedTalk[]
  readonly go: (key: string) => void
}

/** A list of all comments and findings, to go to one of them. */
export function TalkSelect({ placed, go }: Props) {
  return (
    <select
      className="input talk-select"
      aria-label="Go to a comment"
      value=""
      onChange={({ target }) => go(target.value)}
    >
      <option value="" disabled>
        {placed.length === 1 ? '1 comment' : `${placed.length} comments`}
      </option>
      {placed.map(({ talk }) => (
        <option key={talk.key} value={talk.key}>
          {titleOf(talk)}
        </option>
      ))}
    </select>
  )
}

const states = { open: 'open', closed: 'settled', accepted: 'accepted' } as const

function titleOf(talk: PlacedTalk['talk']): string {
  const { path, start } = talk.anchor
  const place = path === null ? 'the whole change' : `${path}${start === null ? '' : `:${start}`}`
  if (talk.kind === 'draft') return `Not sent · ${place}`
  const state = talk.kind === 'remark' ? talk.remark.state.toLowerCase() : states[talk.finding.state]
  return `${idOf(talk) ?? 'Sent'} · ${state} · ${place}`
}
