import { useEffect, useMemo, useRef, useState } from 'react'
import type { MachineTable } from '../../../src/api/machines.ts'
import type { Transition } from '../../../src/api/runs.ts'
import { family, stateLabel } from '../../state-family.ts'
import { type Layout, layoutOf, node } from './machine-layout.ts'

interface Props {
  readonly table: MachineTable
  readonly state: string
  readonly moves: readonly Transition[]
}

/**
 * A transition table drawn as a diagram: the current state highlighted, the path so far in bold,
 * and the possible next transitions named.
 */
export function MachineDiagram({ table, state, moves }: Props) {
  const layout = useMemo(() => layoutOf(table), [table])
  const [pointed, setPointed] = useState<string | null>(null)
  const box = useRef<HTMLElement>(null)
  const x = layout.nodes.find((each) => each.state === state)?.x ?? 0
  // If the diagram is wider than the screen, it is scrolled to the current state.
  useEffect(() => {
    if (box.current) box.current.scrollLeft = x + node.width / 2 - box.current.clientWidth / 2
  }, [x])
  const focus = pointed ?? state
  const taken = new Set(moves.map(({ from, to }) => `${from} ${to}`))
  const been = new Set(moves.flatMap(({ from, to }) => [from, to]))
  const next = table.transitions.filter(({ from }) => from === focus)
  return (
    <figure className="machine">
      {/** biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section ref={box} className="machine-scroll" tabIndex={0} aria-label="Diagram of the state machine">
        <svg
          viewBox={`-8 -26 ${layout.width + 16} ${layout.height + 52}`}
          width={layout.width + 16}
          height={layout.height + 52}
          role="img"
          aria-label={`The ${table.name} is in ${stateLabel(state)}`}
        >
          <Edges layout={layout} focus={focus} taken={taken} />
          {layout.nodes.map(({ state: each, x, y }) => (
            <g
              key={each}
              className={`machine-node ${family(each)} ${each === state ? 'current' : been.has(each) ? 'been' : ''}`}
              transform={`translate(${x},${y})`}
              onPointerEnter={() => setPointed(each)}
              onPointerLeave={() => setPointed(null)}
            >
              <rect width={node.width} height={node.height} rx={7} />
              <text x={node.width / 2} y={node.height / 2} dy="0.35em" textAnchor="middle">
                {stateLabel(each)}
              </text>
            </g>
          ))}
        </svg>
      </section>
      <figcaption>
        <strong>From {stateLabel(focus)}</strong>
        {next.length === 0 ? (
          <span className="sub">none: it has ended.</span>
        ) : (
          <ul className="exits">
            {next.map(({ event, to }) => (
              <li key={event}>
                <span className="sub">{event.replaceAll('_', ' ')}</span>{' '}
                {to === 'ORIGIN' ? 'back to where it was' : stateLabel(to)}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
    </figure>
  )
}

interface EdgesProps {
  readonly layout: Layout
  readonly focus: string
  readonly taken: ReadonlySet<string>
}

/**
 * Transitions that are possible in every state and end it would hide the others, so they are drawn
 * only for the focused state, and if they were taken.
 */
function Edges({ layout, focus, taken }: EdgesProps) {
  const place = new Map(layout.nodes.map((each) => [each.state, each]))
  const drawn = layout.edges.flatMap(({ from, to }) => {
    const [a, b] = [place.get(from), place.get(to)]
    if (!a || !b) return []
    const been = taken.has(`${from} ${to}`)
    const lit = from === focus
    if (b.end && to !== 'DONE' && !been && !lit) return []
    if (a.end && !been && !lit) return []
    return [{ key: `${from} ${to}`, path: curve(a, b), kind: been ? 'been' : lit ? 'lit' : 'faint' }]
  })
  return (
    <>
      {drawn
        .toSorted((a, b) => weight(a.kind) - weight(b.kind))
        .map(({ key, path, kind }) => (
          <path key={key} d={path} className={`machine-edge ${kind}`} />
        ))}
    </>
  )
}

function weight(kind: string): number {
  return kind === 'faint' ? 0 : kind === 'lit' ? 1 : 2
}

interface Corner {
  readonly x: number
  readonly y: number
}

function curve(a: Corner, b: Corner): string {
  const middle = node.height / 2
  if (a.x === b.x) {
    const side = a.x + node.width
    const bend = side + 22
    return `M${side},${a.y + middle}C${bend},${a.y + middle} ${bend},${b.y + middle} ${side},${b.y + middle}`
  }
  const [start, end] = a.x < b.x ? [a.x + node.width, b.x] : [a.x, b.x + node.width]
  const half = (start + end) / 2
  return `M${start},${a.y + middle}C${half},${a.y + middle} ${half},${b.y + middle} ${end},${b.y + middle}`
}
