import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { readWorkload, type Workload } from '../../../app/views/hub/workload.ts'
import type { ViewSources } from '../../../app/views/view-sources.ts'
import { limits } from '../../../domain/limits.ts'
import { diskOf } from './health.ts'

interface MetricsOptions extends Pick<ViewSources, 'records' | 'isOwned' | 'version' | 'now'> {
  /** The folder of the state. */
  readonly state: string
}

/** The metrics of a hub. Labels contain names of models and roles, but no data of a repository. */
export interface Metrics {
  /** Counts a response by its status, such as 404. */
  answered(status: number): void
  /** Counts an error by its code. */
  failed(code: string): void
  /** Returns the metrics in the text format of Prometheus. */
  text(): Promise<string>
  readonly contentType: string
}

/** Creates the metrics of a hub. */
export function createMetrics(measured: MetricsOptions): Metrics {
  const { isOwned, version, state, now } = measured
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `drydock_${name}`, help, labelNames: [...labelNames], registers: [registry] })
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `drydock_${name}`, help, labelNames: [...labelNames], registers: [registry] })

  const info = gauge('info', 'The version of Drydock.', ['version'])
  const owned = gauge('owned', '1 while a process works on the state.')
  const machines = gauge('machines', 'Runs, stories, slots and other machines by state.', ['kind', 'state'])
  const steps = gauge('steps_queued', 'Steps that wait for a worker or for their time.', ['kind'])
  const late = gauge('step_wait_seconds', 'How long the oldest step of a kind could have begun.', ['kind'])
  const calls = counter('model_calls_total', 'Calls of models, as stored.', ['model', 'agent', 'result'])
  const tokens = counter('model_tokens_total', 'Tokens of calls of models, as stored.', ['model', 'agent', 'direction'])
  const cost = counter('model_cost_usd_total', 'Dollars of calls with a known price, as stored.', ['model', 'agent'])
  const disk = gauge('disk_bytes', 'The disk that holds the state.', ['what'])
  const answers = counter('http_answers_total', 'Answers of the server since its start.', ['status'])
  const errors = counter('errors_total', 'Errors that requests have ended with since the start.', ['code'])
  info.set({ version }, 1)

  function setWorkload(workload: Workload): void {
    for (const each of [machines, steps, late, calls, tokens, cost]) each.reset()
    for (const { kind, state: of, count } of workload.machines) machines.set({ kind, state: of }, count)
    for (const { kind, count, first } of workload.steps) {
      steps.set({ kind }, count)
      late.set({ kind }, Math.max(0, (now().getTime() - Date.parse(first)) / 1_000))
    }
    for (const { model, agent, count, failed, inputTokens, outputTokens, microUsd } of workload.calls) {
      calls.inc({ model, agent, result: 'answered' }, count - failed)
      calls.inc({ model, agent, result: 'failed' }, failed)
      tokens.inc({ model, agent, direction: 'input' }, inputTokens)
      tokens.inc({ model, agent, direction: 'output' }, outputTokens)
      cost.inc({ model, agent }, microUsd / 1_000_000)
    }
  }

  async function read(): Promise<string> {
    setWorkload(await readWorkload(measured))
    owned.set(isOwned() ? 1 : 0)
    const { size, free } = await diskOf(state)
    disk.set({ what: 'size' }, size)
    disk.set({ what: 'free' }, free)
    return registry.metrics()
  }

  let last: { readonly until: number; readonly text: Promise<string> } | null = null
  return {
    answered: (status) => answers.inc({ status: String(status) }),
    failed: (code) => errors.inc({ code }),
    contentType: registry.contentType,
    text() {
      // Reading covers every row, so the text is cached for a while.
      if (last === null || last.until <= now().getTime()) {
        const text = read()
        last = { until: now().getTime() + limits.hub.metricsMs, text }
        text.catch(() => {
          last = null
        })
      }
      return last.text
    },
  }
}
