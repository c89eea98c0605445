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
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ id, title, to, count }) => (
        <a key={id} href={to} aria-current={id === current ? 'page' : undefined}>
          {title}
          {count !== undefined && count > 0 && <span className="tab-count">{count}</span>}
        </a>
      ))}
    </nav>
  )
}
