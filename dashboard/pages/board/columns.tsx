import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { StoryLine } from '../../../src/api/runs.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { ended, familiesNow, family } from '../../state-family.ts'
import { StoryCard } from './story-card.tsx'

/** Given-up stories have their own column. */
const columnsNow = () => [...familiesNow(), { id: 'cancelled', title: 'Given up' }] as const

interface Props {
  readonly run: string
  readonly stories: readonly StoryLine[]
  /** Ids of stories that are paused for lack of budget. */
  readonly paused?: readonly string[]
  /** True if stories still move to other columns. */
  readonly isInProgress?: boolean
  /** The target of a card; by default the page of its story. */
  readonly linkOf?: (story: string) => string
}

/**
 * A column for each family of states. Columns with cards, or that stories will still pass, are
 * wide; the others show only their heading. On a phone it is a single list in the same order.
 */
export function Columns({ paused = [], ...shown }: Props) {
  const groups = Map.groupBy(shown.stories, ({ id, state, outcome }): string => {
    if (state === 'CANCELLED' || state === 'DROPPED') return 'cancelled'
    return paused.includes(id) ? 'attention' : family(outcome ?? state)
  })
  const all = columnsNow().filter(({ id }) => id !== 'cancelled' || groups.has(id))
  return <Board {...shown} columns={all} groups={groups} />
}

/** A column for each workspace, which its coder keeps, and one for stories without a workspace. */
export function AgentColumns({ ...shown }: Omit<Props, 'paused'>) {
  const groups = Map.groupBy(shown.stories, ({ slot, state }) => slot ?? (ended.includes(state) ? 'ended' : 'waiting'))
  const slots = [...groups.keys()].filter((key) => key !== 'ended' && key !== 'waiting').toSorted()
  const all = [
    { id: 'waiting', title: 'Without a coder' },
    ...slots.map((slot) => ({ id: slot, title: slot, isOf: 'building' })),
    { id: 'ended', title: 'Ended', isOf: 'done' },
  ]
  return <Board {...shown} columns={all} groups={groups} />
}

interface BoardProps extends Omit<Props, 'paused'> {
  /** `isOf` is the family that determines the colour, if the id is not a family. */
  readonly columns: readonly { readonly id: string; readonly title: string; readonly isOf?: string }[]
  readonly groups: ReadonlyMap<string, readonly StoryLine[]>
}

function Board({ run, stories, isInProgress = false, columns: shown, groups, linkOf }: BoardProps) {
  const narrow = useNarrow()
  // A column that had cards stays wide while the page is open, so that nothing moves when cards
  // come and go.
  const wide = useRef(new Set<string>())
  for (const id of [...groups.keys(), ...(isInProgress ? aheadOf(shown, groups) : [])]) wide.current.add(id)
  useKeptFocus()
  const states = new Map(stories.map(({ id, state }) => [id, state]))
  const card = (story: StoryLine) => (
    <StoryCard run={run} story={story} states={states} {...(linkOf && { to: linkOf(story.id) })} />
  )
  if (narrow) {
    const sorted = shown.flatMap(({ id }) => groups.get(id) ?? [])
    return (
      <VirtualList className="story-list" label="Stories" items={sorted} id={({ id }) => id} height={132} gap={10}>
        {card}
      </VirtualList>
    )
  }
  return (
    <div className="columns">
      {shown.map(({ id, title, isOf = id }) => {
        const own = groups.get(id) ?? []
        return (
          <section key={id} className={`column ${isOf} ${wide.current.has(id) ? '' : 'none'}`} aria-label={title}>
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

/** Columns that stories will still pass are wide from the start, so that no card moves for them. */
function aheadOf(shown: BoardProps['columns'], groups: BoardProps['groups']): readonly string[] {
  const order = shown.map(({ id }) => id).filter((id) => id !== 'attention' && id !== 'cancelled')
  const first = order.findIndex((id) => groups.has(id))
  return first < 0 ? [] : order.slice(first)
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

/** A card that moves to another column is a new element there, so it gets the focus again. */
function useKeptFocus(): void {
  const focused = useRef<string | null>(null)
  useEffect(() => {
    const hear = ({ target }: FocusEvent) => {
      focused.current = target instanceof HTMLElement ? (target.dataset.story ?? null) : null
    }
    document.addEventListener('focusin', hear)
    return () => document.removeEventListener('focusin', hear)
  }, [])
  // Runs after each render, since any of them may have moved the card.
  useEffect(() => {
    if (focused.current === null || document.activeElement !== document.body) return
    document.querySelector<HTMLElement>(`[data-story="${CSS.escape(focused.current)}"]`)?.focus({ preventScroll: true })
  })
}
