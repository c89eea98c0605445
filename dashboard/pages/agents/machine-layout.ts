import type { MachineTable } from '../../../src/api/machines.ts'
import { depths, placeInLayers } from '../../layered.ts'

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

export const node = { width: 102, height: 30 }
const gap = { x: 14, y: 14 }

/**
 * The positions of a table's states: the main path from left to right, end states last, and in a
 * row below it the states in which work only rests, each under the states that lead to it.
 */
export function layoutOf({ states, transitions }: MachineTable): Layout {
  const edges = edgesOf(transitions)
  const ends = new Set(states.filter(({ end }) => end).map(({ state }) => state))
  const asides = new Set(asidesOf({ states, transitions }))
  const way = states.flatMap(({ state }) => (ends.has(state) || asides.has(state) ? [] : [state]))
  const forward = edges.flatMap(({ from, to }) => {
    const isOnWay = way.includes(from) && way.indexOf(from) < way.indexOf(to)
    return isOnWay ? [[from, to] as const] : []
  })
  const layers = depths(way, forward)
  const last = Math.max(...layers.values(), 0) + 1
  const placed = placeInLayers(new Map([...layers, ...[...ends].map((state) => [state, last] as const)]), forward)
  const bottom = Math.max(...placed.map(({ row }) => row), 1.5)
  const all = [...placed, ...placeBelow([...asides], { edges, layers, bottom })]
  const top = Math.min(...all.map(({ row }) => row))
  const nodes = all.map(({ id, layer, row }) => ({
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

function edgesOf(transitions: MachineTable['transitions']): readonly Edge[] {
  const real = transitions.filter(({ from, to }) => to !== 'ORIGIN' && to !== from)
  return [...Map.groupBy(real, ({ from, to }) => `${from} ${to}`).values()].flatMap((group) => {
    const [first] = group
    return first ? [{ from: first.from, to: first.to, events: group.map(({ event }) => event) }] : []
  })
}

/** States that only lead back to earlier states. */
function asidesOf({ states, transitions }: Pick<MachineTable, 'states' | 'transitions'>): readonly string[] {
  const returning = new Set(transitions.filter(({ to }) => to === 'ORIGIN').map(({ from }) => from))
  const order = states.map(({ state }) => state)
  const leadsOn = (state: string) =>
    transitions.some(
      ({ from, to }) =>
        from === state &&
        order.indexOf(to) > order.indexOf(state) &&
        !returning.has(to) &&
        !states.some((each) => each.state === to && each.end),
    )
  return order.filter((state) => returning.has(state) && !leadsOn(state))
}

interface Placing {
  readonly edges: readonly Edge[]
  readonly layers: ReadonlyMap<string, number>
  readonly bottom: number
}

function placeBelow(asides: readonly string[], { edges, layers, bottom }: Placing) {
  const wanted = asides.map((id) => {
    const from = edges.flatMap((edge) => (edge.to === id ? (layers.get(edge.from) ?? []) : []))
    return { id, layer: from.length === 0 ? 0 : from.reduce((sum, layer) => sum + layer, 0) / from.length }
  })
  let free = 0
  return wanted
    .toSorted((a, b) => a.layer - b.layer)
    .map(({ id, layer }) => {
      const own = Math.max(free, Math.round(layer))
      free = own + 1
      return { id, layer: own, row: bottom }
    })
}
