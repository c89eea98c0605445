import { backoffMs } from '../../domain/backoff.ts'
import { limits } from '../../domain/limits.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../ports/store.ts'
import type { ExportProgress, RunItems, SendResult, Span, Telemetry } from '../../ports/telemetry.ts'
import { metricsOf } from './run-metrics.ts'
import { createSpanReader } from './spans-of-event.ts'

interface ExporterOptions {
  readonly telemetry: Telemetry
  readonly records: Records
  readonly clock: Clock
}

/**
 * Sends the event log to a collector while work runs. The exporter stores its position by event id,
 * and only moves on when the collector has accepted the previous events. A process that is killed
 * between the two sends the same spans again, with the same ids.
 */
export interface Exporter {
  /**
   * Called before the owner's first commit, so that all later ones are exported, by whichever
   * process.
   */
  begin(): Promise<void>
  /** Called after a commit. */
  look(): void
  /** Sends the rest, if the collector accepts it at once. */
  end(): Promise<void>
}

/** Null if no collector is configured. */
export function createExporter({ telemetry, records, clock }: ExporterOptions): Exporter | null {
  const { to, collector, cursor, content, delayMs } = telemetry
  if (to === null) return null
  const reader = createSpanReader({ records, content })
  const stop = new AbortController()
  let exported: ExportProgress = { event: 0, owed: [], rejected: 0, problem: null }
  let failures = 0
  let cancelWake: (() => void) | null = null
  let sending: Promise<void> = Promise.resolve()
  let busy = false
  let again = false

  async function keep(change: Partial<ExportProgress>): Promise<void> {
    exported = { ...exported, ...change }
    await cursor.write(exported)
  }

  /** False if no more can be sent now. */
  async function sendEvents(): Promise<boolean> {
    const events = await records.events({ after: exported.event, limit: limits.telemetry.events })
    const last = events.at(-1)
    if (last === undefined) return false
    const told = new Map<string, Span[]>()
    for (const event of events) {
      const spans = await reader.spansOf(event)
      if (spans.length > 0) told.set(event.run, [...(told.get(event.run) ?? []), ...spans])
    }
    const called = events.filter(({ type }) => type === 'model_call').map(({ run }) => run)
    const sent = await send(told, (items) => collector.spans(items, stop.signal))
    if (sent === null) return false
    await keep({ ...sent, event: last.id, owed: [...new Set([...exported.owed, ...called])] })
    return true
  }

  async function sendMetrics(): Promise<void> {
    if (exported.owed.length === 0) return
    const told = new Map<string, Awaited<ReturnType<typeof metricsOf>>>()
    for (const run of exported.owed) told.set(run, await metricsOf(records, run))
    const sent = await send(told, (items) => collector.metrics(items, stop.signal))
    if (sent !== null) await keep({ ...sent, owed: [] })
  }

  /** The result of a sending to store; null if it has to be retried. */
  async function send<What>(
    told: ReadonlyMap<string, readonly What[]>,
    by: (items: readonly RunItems<What>[]) => Promise<SendResult>,
  ): Promise<Pick<ExportProgress, 'rejected' | 'problem'> | null> {
    const items = [...told].map(([run, items]) => ({ run, items })).filter(({ items }) => items.length > 0)
    const { rejected, problem } = exported
    if (items.length === 0) return { rejected, problem }
    const sent = await by(items)
    if (sent.result === 'later') {
      if (stop.signal.aborted) return null
      failures += 1
      await keep({ problem: sent.problem })
      wakeAfter(sent.afterMs ?? backoffMs(limits.telemetry, failures, clock.random()))
      return null
    }
    failures = 0
    if (sent.result === 'taken') return { rejected: rejected + sent.rejected, problem: sent.problem }
    const all = items.reduce((count, each) => count + each.items.length, 0)
    return { rejected: rejected + all, problem: sent.problem }
  }

  async function sendAll(): Promise<void> {
    while (!stop.signal.aborted && (await sendEvents()));
    if (failures === 0 && !stop.signal.aborted) await sendMetrics()
  }

  function wakeAfter(ms: number): void {
    cancelWake?.()
    cancelWake = actAfter(clock, { ms, keepsAlive: false }, () => {
      cancelWake = null
      start()
    })
  }

  function start(): void {
    if (busy) {
      again = true
      return
    }
    busy = true
    sending = sendAll()
      // Work must not end because of its trace; failed reads and writes are retried.
      .catch(async (error: unknown) => {
        wakeAfter(limits.telemetry.longestPauseMs)
        const name = error instanceof Error ? error.name : 'Error'
        await keep({ problem: `the state could not be read or written (${name})` }).catch(() => undefined)
      })
      .finally(() => {
        busy = false
        if (again && failures === 0) start()
        again = false
      })
  }

  return {
    async begin() {
      const before = await cursor.read()
      const last = await records.lastEvent()
      // A position ahead of the log belongs to another log, for example before a state was
      // restored.
      const isOurs = before !== null && before.event <= last
      exported = isOurs ? before : { ...exported, event: last }
      if (isOurs) wakeAfter(delayMs)
      else await cursor.write(exported)
    },
    look() {
      if (cancelWake === null && failures === 0) wakeAfter(delayMs)
    },
    async end() {
      cancelWake?.()
      const ended = actAfter(clock, { ms: limits.telemetry.endMs }, () => stop.abort())
      if (failures > 0) stop.abort()
      await sending
      if (failures === 0 && !stop.signal.aborted) await sendAll().catch(() => undefined)
      stop.abort()
      cancelWake?.()
      ended()
    },
  }
}
