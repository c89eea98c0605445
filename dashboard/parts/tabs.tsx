import { useEffect, useRef } from 'react'

/** Parts of a page as links, so that each has an address. */
export function Tabs({
  label,
  current,
  tabs,
}: {
  readonly label: string
  readonly current: string
  readonly tabs: readonly {
    readonly id: string
    readonly title: string
    readonly to: string
    readonly count?: number
  }[]
}) {
  const row = useRef<HTMLElement>(null)
  // If there is no room for all tabs, the current one is scrolled into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is found in the row by what `current` has made of it
  useEffect(() => {
    const [here] = row.current?.querySelectorAll<HTMLElement>('[aria-current]') ?? []
    if (row.current && here)
      row.current.scrollLeft = here.offsetLeft - row.current.clientWidth / 2 + here.offsetWidth / 2
  }, [current])
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {tabs.map(({ id, title, to, count }) => (
        <a key={id} href={to} aria-current={id === current ? 'page' : undefined}>
          {title}
          {count !== undefined && count > 0 && <span className="tab-count">{count}</span>}
        </a>
      ))}
    </nav>
  )
}
