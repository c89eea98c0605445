import { family, stateLabel } from '../state-family.ts'

interface Props {
  readonly state: string
  readonly title?: string
  /** Somebody is at work in it now. */
  readonly live?: boolean
}

/** A state in the colour of its family, and in words: colour alone says nothing. */
export function Pill({ state, title, live = false }: Props) {
  return (
    <span className={`pill ${family(state)} ${live ? 'live' : ''}`} data-state={state} title={title}>
      <span className="dot" aria-hidden="true" />
      {stateLabel(state)}
    </span>
  )
}
