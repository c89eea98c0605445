import { useState } from 'react'
import type { StoryLine } from '../../../src/api/runs.ts'
import { depths, placeInLayers } from '../../layered.ts'
import { family, stateLabel } from '../../state-family.ts'

const width = 200
const height = 54
const gap = { x: 72, y: 18 }

interface Props {
  readonly stories: readonly Pick<StoryLine, 'id' | 'title' | 'state' | 'depends_on'>[]
  readonly linkOf: (story: string) => string
}

/** The dependencies between stories, from left to right. */
export function Graph({ stories, linkOf }: Props) {
  const [over, setOver] = useState<string | null>(null)
  const ids = new Set(stories.map(({ id }) => id))
  // A filter may have hidden a story that others depend on.
  const edges = stories.flatMap(({ id, depends_on }) =>
    depends_on.filter((other) => ids.has(other)).map((other) => [other, id] as const),
  )
  const placed = placeInLayers(depths([...ids], edges), edges)
  const top = Math.min(...placed.map(({ row }) => row))
  const place = new Map(
    placed.map(({ id, layer, row }) => [id, { x: layer * (width + gap.x), y: (row - top) * (height + gap.y) }]),
  )
  const size = {
    width: Math.max(...[...place.values()].map(({ x }) => x)) + width,
    height: Math.max(...[...place.values()].map(({ y }) => y)) + height,
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="graph" aria-label="Dependencies of the stories" tabIndex={0}>
      <div className="graph-plane" style={size}>
        <svg width={size.width} height={size.height} aria-hidden="true">
          {edges.map(([from, to]) => {
            const [a, b] = [place.get(from), place.get(to)]
            if (!a || !b) return null
            return (
              <path
                key={`${from} ${to}`}
                className={over === from || over === to ? 'edge lit' : 'edge'}
                d={curve({ x: a.x + width, y: a.y + height / 2 }, { x: b.x, y: b.y + height / 2 })}
              />
            )
          })}
        </svg>
        {stories.map(({ id, title, state, depends_on }) => {
          const at = place.get(id)
          return (
            <a
              key={id}
              className={`graph-node ${family(state)}`}
              style={{ left: at?.x, top: at?.y, width, height }}
              href={linkOf(id)}
              data-item
              onPointerEnter={() => setOver(id)}
              onPointerLeave={() => setOver(null)}
              onFocus={() => setOver(id)}
              onBlur={() => setOver(null)}
            >
              <strong>{title}</strong>
              <span className="sub">
                {stateLabel(state)}
                {depends_on.length > 0 && <span className="visually-hidden">, needs {depends_on.join(', ')}</span>}
              </span>
            </a>
          )
        })}
      </div>
    </section>
  )
}

interface Point {
  readonly x: number
  readonly y: number
}

function curve(from: Point, to: Point): string {
  const middle = (from.x + to.x) / 2
  return `M${from.x},${from.y}C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`
}
