import { family, stateLabel } from '../state-family.ts'
import { waitsForWhom } from './waits-for-answer.ts'

interface Props {
  readonly state: string
  /** Words in place of the state's own. */
  readonly label?: string | undefined
  readonly title?: string
  /** Somebody is at work in it now. */
  readonly live?: boolean
}

/** A state in the colour of its family, and in words: colour alone says nothing. */
export function Pill({ state, label, title, live = false }: Props) {
  return (
    <span className={`pill ${family(state)} ${live ? 'live' : ''}`} data-state={state} title={title}>
      <span className="dot" aria-hidden="true" />
      {label ?? (state === 'WAITS_FOR_YOU' ? waitsForWhom() : stateLabel(state))}
    </span>
  )
}
