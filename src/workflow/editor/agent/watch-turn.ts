import type { Lane } from '../../../domain/lane/lane.ts'
import type { AgentUpdate } from '../../../ports/coding-agent.ts'
import type { LiveWork } from '../../../ports/live-work.ts'

/** Shows viewers live what a foreign agent says and does in a turn. */
export function watchTurn(live: LiveWork, lane: Lane, model: string) {
  const { hear, end } = live.asks(lane, { model, context: null })
  const calls = new Map<string, () => void>()
  return {
    take(update: AgentUpdate): void {
      if (update.type === 'said') hear({ kind: 'text', text: `${update.text}\n` })
      else if (update.type === 'thought') hear({ kind: 'thought', text: `${update.text}\n` })
      else if (update.type === 'tool') {
        const { id, kind, title, status } = update
        const isOver = status === 'completed' || status === 'failed'
        if (isOver) calls.get(id)?.()
        if (isOver) calls.delete(id)
        else if (!calls.has(id)) calls.set(id, live.calls(lane, kind, { content: title }))
      }
    },
    async end(): Promise<void> {
      for (const over of calls.values()) over()
      end()
    },
  }
}
