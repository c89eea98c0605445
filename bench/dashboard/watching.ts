/** A state that a card on the board was seen to change to. */
export interface Seen {
  readonly story: string
  readonly state: string
  /** Milliseconds since 1970, in the frame that showed it. */
  readonly at: number
}

/** Remembers when each card on the board first shows a state, and how much has jumped. */
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
      // What only comes into sight has not moved.
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
