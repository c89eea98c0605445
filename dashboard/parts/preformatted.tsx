import type { ReactNode } from 'react'

interface Props {
  readonly label: string
  /** If false, long lines scroll instead of wrapping. */
  readonly wrap?: boolean
  readonly children: ReactNode
}

/** Preformatted text. It scrolls on its own if it is too large, including by keyboard. */
export function Preformatted({ label, wrap = true, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className={wrap ? 'pre wrap' : 'pre'} tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}
