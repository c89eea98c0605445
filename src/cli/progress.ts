import type { Event } from '../domain/event.ts'
import { limits } from '../domain/limits.ts'

export interface Progress {
  show(event: Event): void
  /** Removes the live line; may be called more than once. */
  end(): void
}

interface View {
  state: string
  failures: number
  last: string
  tokens: number
}

/** What goes on, for people: a line for each milestone, and in a terminal one live line with state, attempt, last tool, time and tokens. */
export function createProgress({ stderr, json }: { stderr: NodeJS.WriteStream; json: boolean }): Progress {
  const live = stderr.isTTY === true && !json
  const view: View = { state: 'WAITING', failures: 0, last: '', tokens: 0 }
  const since = Date.now()
  let timer: NodeJS.Timeout | undefined

  function draw(): void {
    if (!live) return
    const line = [
      view.state,
      `attempt ${view.failures + 1}/${limits.verifyLoops}`,
      view.last,
      elapsed(Date.now() - since),
      `${compact(view.tokens)} tokens`,
    ]
    const text = line
      .filter(Boolean)
      .join(' · ')
      .slice(0, Math.max(20, (stderr.columns ?? 80) - 1))
    stderr.write(`\r\u001b[2K${text}`)
  }

  function clear(): void {
    if (live) stderr.write('\r\u001b[2K')
  }

  return {
    show(event) {
      update(view, event)
      const line = milestone(event)
      if (line !== null && !json) {
        clear()
        stderr.write(`${line}\n`)
      }
      if (!live) return
      timer ??= setInterval(draw, 1_000)
      draw()
    },
    end() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      clear()
    },
  }
}

function update(view: View, { type, data }: Event): void {
  if (type === 'state') view.state = String(data.to)
  if (type === 'state' && (data.event === 'failed' || data.event === 'replan')) view.failures += 1
  if (type === 'tool') view.last = String(data.tool)
  if (type === 'lane' && String(data.lane).startsWith('scout/'))
    view.last = String(data.lane).split('/').slice(0, 2).join(' ')
  if (type === 'model_call' && typeof data.tokens === 'number') view.tokens += data.tokens
}

/** The line that an event deserves in the record of what happened; null for what only the live line shows. */
export function milestone({ type, data, run }: Event): string | null {
  switch (type) {
    case 'run':
      return `run ${run}: ${String(data.title).split('\n')[0]}`
    case 'run_state':
      return data.to === 'MONITORING' && data.branch
        ? `  from ${String(data.base).slice(0, 12)} to branch ${data.branch}`
        : null
    case 'state':
      return `  ${data.to}${data.event === 'replan' ? ' (3 failures in a row: planning anew)' : ''}`
    case 'scout':
      return `  scout ${data.scout}: ${String(data.state).toLowerCase()}`
    case 'verification':
      return `  verification ${data.run_id}: ${data.status}${data.error_type ? ` (${data.error_type})` : ''}`
    case 'model_call':
      return data.error === null ? null : `  model: ${data.error}`
    default:
      return null
  }
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function compact(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(1)}k`
}
