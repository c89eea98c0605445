import { useId, useState } from 'react'
import type { Finish } from '../../../src/api/finish.ts'
import { Dialog } from '../../parts/dialog.tsx'

interface Props {
  readonly finish: Finish
  readonly close: () => void
  readonly go: (reason: string) => void
}

/** A person who lands a held result sees whose decision that overrules, and gives a reason. */
export function AnywayDialog({ finish: { verdict }, close, go }: Props) {
  const [reason, setReason] = useState('')
  const field = useId()
  const words = reason.trim()
  return (
    <Dialog title="Land it anyway?" close={close}>
      <p>This goes against:</p>
      <ul className="finish-against">
        {verdict.holds.map(({ run, id, by, place, text, why }) => (
          <li key={`${run} ${id} ${text}`}>
            <strong>{by}</strong> {place !== '' && <code>{place}</code>} <span className="sub">{why}</span>
          </li>
        ))}
      </ul>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (words !== '') go(words)
        }}
      >
        <label className="field" htmlFor={field}>
          <span>Why? The receipt keeps your name and these words.</span>
        </label>
        <textarea
          id={field}
          className="input"
          rows={3}
          maxLength={1_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <div className="row">
          <button type="submit" className="button danger" disabled={words === ''}>
            Land it anyway
          </button>
          <button type="button" className="button" onClick={close}>
            Keep it here
          </button>
        </div>
      </form>
    </Dialog>
  )
}
