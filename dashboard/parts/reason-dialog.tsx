import { type ReactNode, useId, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Problem } from './notice.tsx'

interface Props {
  readonly title: string
  /** The words of the two buttons. */
  readonly does: string
  readonly keeps: string
  /** The place that keeps the reason, as a sentence without its end. */
  readonly where: string
  readonly isHarmless?: boolean
  /** Words that are there already. */
  readonly words?: string
  readonly isBusy?: boolean
  readonly error?: Error | null
  readonly close: () => void
  /** The reason can be empty. */
  readonly go: (reason: string) => void
  readonly children?: ReactNode
}

/** Asks for the reason before something that ends or settles work. */
export function ReasonDialog(props: Props) {
  const {
    title,
    does,
    keeps,
    where,
    isHarmless = false,
    words = '',
    isBusy = false,
    error,
    close,
    go,
    children,
  } = props
  const [reason, setReason] = useState(words)
  const field = useId()
  return (
    <Dialog title={title} close={close}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          go(reason.trim())
        }}
      >
        {children && <p>{children}</p>}
        <div className="field">
          <label htmlFor={field}>Why? {where} (optional).</label>
          <textarea
            id={field}
            className="input"
            rows={2}
            maxLength={1_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </div>
        {error && <Problem error={error} />}
        <div className="row">
          <button type="submit" className={isHarmless ? 'button primary' : 'button danger'} disabled={isBusy}>
            {does}
          </button>
          <button type="button" className="button" onClick={close}>
            {keeps}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
