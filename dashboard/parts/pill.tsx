import { family, stateLabel } from '../state-family.ts'
import { waitsForWhom } from './waits-for-answer.ts'

interface Props {
  readonly state: string
  /** Overrides the state's own label. */
  readonly label?: string | undefined
  readonly title?: string
  /** True if an agent is working in this state now. */
  readonly live?: boolean
}

/** A state in the colour of its family, and in words, since colour alone is not accessible. */
export function Pill({ state, label, title, live = false }: Props) {
  return (
    <span className={`pill ${family(state)} ${live ? 'live' : ''}`} data-state={state} title={title}>
      <span className="dot" aria-hidden="true" />
      {label ?? (state === 'WAITS_FOR_YOU' ? waitsForWhom() : stateLabel(state))}
    </span>
  )
}
