import { family, stateLabel } from '../state-family.ts'

/** A state in the colour of its family, and in words: colour alone says nothing. */
export function Pill({ state, title }: { readonly state: string; readonly title?: string }) {
  return (
    <span className={`pill ${family(state)}`} data-state={state} title={title}>
      <span className="dot" aria-hidden="true" />
      {stateLabel(state)}
    </span>
  )
}
