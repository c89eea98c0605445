import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { HeldLine, holdSchema } from '../../api/held.ts'
import type { DeepReadonly } from '../../api/route.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Clock } from '../../ports/clock.ts'

export type HeldInput = DeepReadonly<z.output<typeof holdSchema>>

/**
 * Commands that cannot be taken back once they are given: the server keeps each for some seconds,
 * in which anybody who may give it can take it back. All are given before the server ends.
 */
export interface HeldCommands {
  hold(given: HeldInput, who: { readonly by: string | null; readonly give: () => Promise<unknown> }): HeldLine
  /** DrydockError `already_done` for one that was given meanwhile. */
  undo(id: string): void
  /** Oldest first; one that was refused stays for a while, with the reason. */
  list(): HeldLine[]
  close(): Promise<void>
}

interface Entry {
  readonly line: HeldLine
  readonly give: () => Promise<void>
  readonly cancel: () => void
}

export function createHeldCommands({ clock }: { readonly clock: Clock }): HeldCommands {
  const entries = new Map<string, Entry>()
  /** Those that are being given. */
  const under = new Map<string, Promise<void>>()

  function give(id: string, act: () => Promise<unknown>): Promise<void> {
    const given = act().then(
      () => void entries.delete(id),
      (error) => refuse(id, error),
    )
    const over = given.finally(() => under.delete(id))
    under.set(id, over)
    return over
  }

  function refuse(id: string, error: unknown): void {
    const entry = entries.get(id)
    if (entry === undefined) return
    const { code, message, todo } = error instanceof DrydockError ? error : bug(error)
    const cancel = actAfter(clock, { ms: limits.dashboard.refusedMs, keepsAlive: false }, () => entries.delete(id))
    entries.set(id, { line: { ...entry.line, problem: { code, message, todo } }, give: async () => {}, cancel })
  }

  return {
    hold(given, { by, give: now }) {
      const id = randomUUID()
      const until = new Date(clock.now().getTime() + limits.dashboard.heldMs).toISOString()
      const run = given.give === 'reply' ? null : given.run
      const line: HeldLine = { id, run, text: textOf(given), by, until, problem: null }
      const act = () => give(id, now)
      const cancel = actAfter(clock, { ms: limits.dashboard.heldMs, keepsAlive: false }, () => void act())
      entries.set(id, { line, give: act, cancel })
      return line
    },
    undo(id) {
      const entry = entries.get(id)
      if (entry === undefined || under.has(id)) throw tooLate()
      entry.cancel()
      entries.delete(id)
    },
    list: () => [...entries.values()].map(({ line }) => line),
    async close() {
      for (const { cancel, give: act, line } of entries.values()) {
        cancel()
        if (line.problem === null && !under.has(line.id)) void act()
      }
      await Promise.all(under.values())
    },
  }
}

/** The words for a held command, for everybody who looks. */
function textOf(given: HeldInput): string {
  switch (given.give) {
    case 'cancel':
      return `Cancel ${given.run}`
    case 'accept':
      return `Accept ${given.accept.findings.join(', ')}`
    case 'land': {
      const anyway = given.land.anyway === undefined ? '' : ' anyway'
      if (given.land.goal === 'onto') return `Merge into ${given.land.branch}${anyway}`
      return `${given.land.goal === 'change' ? 'Open a change' : 'Apply to the working tree'}${anyway}`
    }
    case 'reply':
      return `Answer “${given.text.split('\n')[0]?.slice(0, 60)}”`
    default:
      throw new Error(`unknown command ${given satisfies never}`)
  }
}

function tooLate(): DrydockError {
  return new DrydockError('already_done', 'It was done meanwhile and cannot be taken back.', {
    todo: 'Look at the run: what came of it is there.',
  })
}

function bug(error: unknown) {
  return { code: 'bug', message: error instanceof Error ? error.message : String(error), todo: 'Try it again.' }
}
