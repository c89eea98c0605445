import type { Json } from '../../domain/json.ts'
import { agentOf, type Lane } from '../../domain/lane/lane.ts'
import type { LaneNow } from '../../domain/lane/lane-now.ts'
import { limits } from '../../domain/limits.ts'
import type { Redact } from '../../domain/secrets/redact.ts'
import type { RedactSpeech } from '../../domain/secrets/redact-speech.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LiveChanges, LiveWork, LiveWorkFeed } from '../../ports/live-work.ts'
import type { HeardPiece } from '../../ports/model.ts'

interface Watching {
  readonly clock: Clock
  readonly redact: Redact
  readonly redactSpeech: RedactSpeech
  /** Describes a tool call in one line. */
  readonly lineOf: (tool: string, input: Json) => string
}

interface Asking {
  readonly since: string
  readonly model: string
  kind: HeardPiece['kind'] | 'waiting'
  /** The chunks of the answer in order, up to the limit. */
  text: string
  thought: string
  chars: number
  tool: string | null
}

interface WatchedLane {
  readonly lane: Pick<Lane, 'id' | 'run' | 'story' | 'data'>
  version: number
  asking: Asking | null
  /** The text of the current call, or of the last call with any. */
  heard: Pick<Asking, 'text' | 'thought'>
  readonly tools: Set<{ readonly tool: string; readonly input: Json; readonly since: string }>
  context: LaneNow['context']
  /** Costs of the calls in the last minutes. */
  spent: readonly { readonly at: number; readonly microUsd: number }[]
}

/** Texts are joined and redacted only when a viewer asks for them. */
export function createLiveWork({ clock, redact, redactSpeech, lineOf }: Watching): LiveWork & LiveWorkFeed {
  const lanes = new Map<string, WatchedLane>()
  const listeners = new Set<() => void>()
  let version = 0
  const time = () => clock.now().toISOString()

  function changed(watched: WatchedLane | null): void {
    version += 1
    if (watched) watched.version = version
    for (const listener of listeners) listener()
  }

  function watched(lane: Lane): WatchedLane {
    const known: WatchedLane = lanes.get(lane.id) ?? {
      lane,
      version: 0,
      asking: null,
      heard: { text: '', thought: '' },
      tools: new Set(),
      context: null,
      spent: [],
    }
    // Moves the most recent lane to the end, so that the first is the oldest.
    lanes.delete(lane.id)
    lanes.set(lane.id, known)
    const [oldest] = lanes.keys()
    if (lanes.size > limits.live.lanes && oldest !== undefined) lanes.delete(oldest)
    return known
  }

  function shown({ lane, asking, heard, tools, context, spent }: WatchedLane): LaneNow {
    return {
      id: lane.id,
      run: lane.run,
      story: lane.story,
      lane: lane.data.key,
      agent: agentOf(lane.data.role),
      asking: asking && {
        since: asking.since,
        model: asking.model,
        kind: asking.kind,
        chars: asking.chars,
        tool: asking.tool,
      },
      said: redactSpeech(heard.text || heard.thought)
        .slice(-limits.live.storyChars)
        .toWellFormed(),
      tools: [...tools].slice(0, limits.live.tools).map(({ tool, input, since }) => {
        return { line: redact(lineOf(tool, input)).slice(0, limits.live.lineChars).toWellFormed(), since }
      }),
      context,
      usdPerMinute: perMinute(spent, clock.now().getTime()),
    }
  }

  return {
    asks(lane, { model, context }) {
      const own = watched(lane)
      const asking: Asking = { since: time(), model, kind: 'waiting', text: '', thought: '', chars: 0, tool: null }
      own.asking = asking
      own.context = context
      changed(own)
      return {
        hear(piece) {
          take(asking, piece)
          if (piece.kind !== 'call') own.heard = asking
          changed(own)
        },
        end() {
          if (own.asking === asking) own.asking = null
          changed(own)
        },
      }
    },
    calls(lane, tool, input) {
      const own = watched(lane)
      const call = { tool, input, since: time() }
      own.tools.add(call)
      changed(own)
      return () => {
        own.tools.delete(call)
        changed(own)
      }
    },
    spent(lane, microUsd) {
      const own = watched(lane)
      const at = clock.now().getTime()
      own.spent = [...own.spent.filter((each) => each.at > at - limits.live.costMs), { at, microUsd }]
      changed(own)
    },
    over(lane) {
      if (lanes.delete(lane)) changed(null)
    },
    since(known): LiveChanges {
      // A version that another process counted means nothing here.
      const from = known > version ? 0 : known
      const news = [...lanes.values()].filter((each) => each.version > from)
      return { version, lanes: news.map(shown), ids: [...lanes.keys()] }
    },
    onChange(listener) {
      listeners.add(listener)
    },
  }
}

function take(asking: Asking, { kind, text, tool }: HeardPiece): void {
  asking.kind = kind
  asking.chars += text.length
  if (kind === 'call') asking.tool = tool ?? asking.tool
  else if (asking[kind].length < limits.live.replyChars) asking[kind] += text.slice(0, limits.live.replyChars)
}

/** Dollars per minute, over the whole window or since its first call. */
function perMinute(spent: WatchedLane['spent'], now: number): number | null {
  const recent = spent.filter(({ at }) => at > now - limits.live.costMs)
  const [first] = recent
  if (first === undefined) return null
  const minutes = Math.max(1, (now - first.at) / 60_000)
  return recent.reduce((sum, { microUsd }) => sum + microUsd, 0) / 1e6 / minutes
}
