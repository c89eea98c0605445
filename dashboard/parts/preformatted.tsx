import type { ReactNode } from 'react'

interface Props {
  readonly label: string
  /** Lines that are wider than their place scroll where this is false. */
  readonly wrap?: boolean
  readonly children: ReactNode
}

/** Text as it was written. What is longer than its place scrolls by itself, also by keyboard. */
export function Preformatted({ label, wrap = true, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className={wrap ? 'pre wrap' : 'pre'} tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}
