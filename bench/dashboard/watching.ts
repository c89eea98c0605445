/** A new state that a card on the board has shown. */
export interface CardChange {
  readonly story: string
  readonly state: string
  /** Time of the frame that showed it, in milliseconds since 1970. */
  readonly at: number
}

/** Records when each card on the board first shows a state, and the layout shift. */
export const watching = `{
  window.seen = []
  window.shift = 0
  let last = new Map()
  const look = (at) => {
    const now = new Map()
    for (const card of document.querySelectorAll('[data-story]')) {
      const { story } = card.dataset
      const { state } = card.querySelector('[data-state]').dataset
      now.set(story, state)
      // A card that only scrolls into view has not moved.
      if (last.has(story) && last.get(story) !== state) window.seen.push({ story, state, at })
    }
    last = now
  }
  new MutationObserver(() => requestAnimationFrame(() => look(Date.now())))
    .observe(document, { subtree: true, childList: true, attributes: true })
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) window.shift += value
  }).observe({ type: 'layout-shift', buffered: true })
}`
