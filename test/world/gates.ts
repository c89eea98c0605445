import type { Program } from './sandbox.ts'

/** A program `gate NAME` for agents and steps: it ends once the test opens the gate. */
export function createGates() {
  let isOver = false
  const gates = new Map<string, { reached: PromiseWithResolvers<void>; opened: PromiseWithResolvers<void> }>()
  const gateOf = (name: string) => {
    const known = gates.get(name) ?? { reached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() }
    gates.set(name, known)
    return known
  }
  const gate: Program = async (_, [name = '']) => {
    const { reached, opened } = gateOf(name)
    reached.resolve()
    if (!isOver) await opened.promise
    return 0
  }
  return {
    programs: { gate },
    reached: (name: string) => gateOf(name).reached.promise,
    open: (name: string) => gateOf(name).opened.resolve(),
    openAll() {
      isOver = true
      for (const { opened } of gates.values()) opened.resolve()
    },
  }
}

export type Gates = ReturnType<typeof createGates>
