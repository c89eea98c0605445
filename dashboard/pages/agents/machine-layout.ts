import type { MachineTable } from '../../../src/api/machines.ts'
import { placeInLayers } from '../../layered.ts'

export interface Edge {
  readonly from: string
  readonly to: string
  readonly events: readonly string[]
}

export interface Layout {
  readonly nodes: readonly { readonly state: string; readonly end: boolean; readonly x: number; readonly y: number }[]
  readonly edges: readonly Edge[]
  readonly width: number
  readonly height: number
}

export const node = { width: 110, height: 30 }
const gap = { x: 18, y: 14 }

/** Where the states of a table are drawn: from left to right by the shortest way to them, those that end it last. */
export function layoutOf({ states, transitions }: MachineTable): Layout {
  const real = transitions.filter(({ from, to }) => to !== 'ORIGIN' && to !== from)
  const edges = [...Map.groupBy(real, ({ from, to }) => `${from} ${to}`).values()].flatMap((group) => {
    const [first] = group
    return first ? [{ from: first.from, to: first.to, events: group.map(({ event }) => event) }] : []
  })
  const ends = new Set(states.filter(({ end }) => end).map(({ state }) => state))
  const layers = distances(states[0]?.state ?? '', edges)
  const last = Math.max(...[...layers].filter(([state]) => !ends.has(state)).map(([, layer]) => layer), 0) + 1
  const all = new Map(states.map(({ state }) => [state, ends.has(state) ? last : (layers.get(state) ?? 0)]))
  const forward = edges.filter(({ from, to }) => !ends.has(from) && !ends.has(to))
  const placed = placeInLayers(
    all,
    forward.map(({ from, to }) => [from, to] as const),
  )
  const top = Math.min(...placed.map(({ row }) => row))
  const nodes = placed.map(({ id, layer, row }) => ({
    state: id,
    end: ends.has(id),
    x: layer * (node.width + gap.x),
    y: (row - top) * (node.height + gap.y),
  }))
  return {
    nodes,
    edges,
    width: Math.max(...nodes.map(({ x }) => x)) + node.width,
    height: Math.max(...nodes.map(({ y }) => y)) + node.height,
  }
}

function distances(start: string, edges: readonly Edge[]): ReadonlyMap<string, number> {
  const found = new Map([[start, 0]])
  const open = [start]
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    for (const { from, to } of edges) {
      if (from !== at || found.has(to)) continue
      found.set(to, (found.get(at) ?? 0) + 1)
      open.push(to)
    }
  }
  return found
}
