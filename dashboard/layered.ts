/** A directed graph in layers from left to right. */
export interface NodePlace {
  readonly id: string
  readonly layer: number
  /** The position in the layer, from the top. */
  readonly row: number
}

/** Assigns layers by the given depth; within a layer, nodes are put near their neighbours. */
export function placeInLayers(
  layers: ReadonlyMap<string, number>,
  edges: readonly (readonly [from: string, to: string])[],
): readonly NodePlace[] {
  const columns = [...Map.groupBy([...layers.keys()], (id) => layers.get(id) ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .map(([layer, ids]) => ({ layer, ids: [...ids] }))
  const row = new Map<string, number>()
  const settle = (ids: readonly string[]) => {
    for (const [i, id] of ids.entries()) row.set(id, i - (ids.length - 1) / 2)
  }
  for (const { ids } of columns) settle(ids)
  const neighbours = new Map<string, string[]>()
  for (const [from, to] of edges) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to])
    neighbours.set(to, [...(neighbours.get(to) ?? []), from])
  }
  const centre = (id: string) => {
    const rows = (neighbours.get(id) ?? []).map((other) => row.get(other) ?? 0)
    return rows.length === 0 ? (row.get(id) ?? 0) : rows.reduce((sum, each) => sum + each, 0) / rows.length
  }
  for (let sweep = 0; sweep < 6; sweep += 1) {
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      column.ids.sort((a, b) => centre(a) - centre(b))
      settle(column.ids)
    }
  }
  return columns.flatMap(({ layer, ids }) => ids.map((id) => ({ id, layer, row: row.get(id) ?? 0 })))
}

/**
 * The longest path to each node from a node without predecessors. Cycles are cut where they close.
 */
export function depths(
  ids: readonly string[],
  edges: readonly (readonly [from: string, to: string])[],
): ReadonlyMap<string, number> {
  const before = Map.groupBy(edges, ([, to]) => to)
  const found = new Map<string, number>()
  const depth = (id: string, way: ReadonlySet<string>): number => {
    const known = found.get(id)
    if (known !== undefined) return known
    const sources = (before.get(id) ?? []).map(([from]) => from).filter((from) => !way.has(from))
    const own = Math.max(-1, ...sources.map((from) => depth(from, new Set([...way, id])))) + 1
    found.set(id, own)
    return own
  }
  for (const id of ids) depth(id, new Set())
  return found
}
