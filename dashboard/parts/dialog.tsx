import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Icon } from './icon.tsx'

/** A native modal dialog, which traps the focus, restores it, and closes with Escape. */
export function Dialog({
  title,
  close,
  children,
  side = false,
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
  readonly side?: boolean
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
  }, [])
  return (
    <dialog ref={dialog} className={side ? 'drawer' : 'dialog'} aria-labelledby={heading} onClose={close}>
      <header className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button
          type="button"
          className="button quiet icon-only"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  )
}
