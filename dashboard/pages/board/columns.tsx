import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { StoryLine } from '../../../src/api/runs.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { families, family } from '../../state-family.ts'
import { StoryCard } from './story-card.tsx'

/** What is given up stands apart from what is done. */
const columns = [...families, { id: 'cancelled', title: 'Given up' }] as const

/**
 * A column for each family of states, as wide as any other, so that nothing jumps; on a phone one
 * list in the same order.
 */
export function Columns({
  run,
  stories,
  linkOf,
}: {
  readonly run: string
  readonly stories: readonly StoryLine[]
  /** Where a card leads to; without it to the page of its story. */
  readonly linkOf?: (story: string) => string
}) {
  const narrow = useNarrow()
  useKeptFocus()
  const states = new Map(stories.map(({ id, state }) => [id, state]))
  const groups = Map.groupBy(stories, ({ state, outcome }) =>
    state === 'CANCELLED' || state === 'DROPPED' ? 'cancelled' : family(outcome ?? state),
  )
  const card = (story: StoryLine) => (
    <StoryCard run={run} story={story} states={states} {...(linkOf && { to: linkOf(story.id) })} />
  )
  if (narrow) {
    const sorted = columns.flatMap(({ id }) => groups.get(id) ?? [])
    return (
      <VirtualList className="story-list" label="Stories" items={sorted} id={({ id }) => id} height={132} gap={10}>
        {card}
      </VirtualList>
    )
  }
  const shown = columns.filter(({ id }) => id !== 'cancelled' || groups.has(id))
  return (
    <div className="columns">
      {shown.map(({ id, title }) => {
        const own = groups.get(id) ?? []
        return (
          <section key={id} className={`column ${id} ${own.length === 0 ? 'none' : ''}`} aria-label={title}>
            <h2>
              <span className="dot" aria-hidden="true" />
              {title}
              <span className="column-count">{own.length}</span>
            </h2>
            {own.length > 0 && (
              <VirtualList label={`Stories: ${title}`} items={own} id={({ id }) => id} height={132} gap={10}>
                {card}
              </VirtualList>
            )}
          </section>
        )
      })}
    </div>
  )
}

const narrowScreen = window.matchMedia('(max-width: 900px)')

function useNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      narrowScreen.addEventListener('change', changed)
      return () => narrowScreen.removeEventListener('change', changed)
    },
    () => narrowScreen.matches,
  )
}

/** A card that moves to another column is made anew there: the focus goes with it. */
function useKeptFocus(): void {
  const focused = useRef<string | null>(null)
  useEffect(() => {
    const hear = ({ target }: FocusEvent) => {
      focused.current = target instanceof HTMLElement ? (target.dataset.story ?? null) : null
    }
    document.addEventListener('focusin', hear)
    return () => document.removeEventListener('focusin', hear)
  }, [])
  // After each render, since any of them may have moved it.
  useEffect(() => {
    if (focused.current === null || document.activeElement !== document.body) return
    document.querySelector<HTMLElement>(`[data-story="${CSS.escape(focused.current)}"]`)?.focus({ preventScroll: true })
  })
}
