import type { EventOfType } from '../../domain/event.ts'
import { agentOf } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import { titleOf } from '../../domain/run/title.ts'
import { capText } from '../../domain/text.ts'
import type { Records } from '../../ports/store.ts'
import type { Span } from '../../ports/telemetry.ts'
import { ofLane, ofRun, type Place, type Reading, spanIn, storyOf } from './span-in.ts'
import type { TraceOf } from './trace-ids.ts'

/** The events of a lane since its Run started, or since the previous end of the Run. */
interface LaneTime {
  readonly story: string | null
  start: number
  end: number
  calls: number
}

/** Ends the spans of the Run and its lanes: a lane can continue until its Run has ended. */
export async function endSpans(
  { records, content }: Reading,
  end: EventOfType<'run_state'>,
  { trace, after }: Place,
): Promise<readonly Span[]> {
  const run = await records.machineOf('run', end.run)
  const calls = await records.modelCalls(end.run)
  const startOf = new Map(calls.map(({ lane, turn, startedAt }) => [`${lane} ${turn}`, Date.parse(startedAt)]))
  const lanes = new Map<string, LaneTime>()
  let began = Date.parse(end.at)
  let last = after
  for (;;) {
    const page = await records.events({ run: end.run, after: last, limit: limits.telemetry.events })
    const events = page.filter(({ id }) => id <= end.id)
    for (const event of events) {
      const at = Date.parse(event.at)
      began = Math.min(began, at)
      if (event.type !== 'lane' && event.type !== 'model_call' && event.type !== 'tool') continue
      const { lane } = event.data
      const time = lanes.get(lane) ?? { story: event.story, start: at, end: at, calls: 0 }
      const started = event.type === 'model_call' ? startOf.get(`${end.run}/${lane} ${event.data.turn}`) : undefined
      time.start = Math.min(time.start, started ?? at)
      time.end = at
      time.calls += event.type === 'model_call' ? 1 : 0
      lanes.set(lane, time)
    }
    last = page.at(-1)?.id ?? end.id
    if (page.length < limits.telemetry.events || last >= end.id) break
  }
  const spans: Span[] = []
  for (const [lane, time] of lanes) spans.push(await laneSpan(records, { run: end.run, trace, lane, time }))
  const state = end.data.to
  const failed = state === 'STUCK' || state === 'INFRA_ERROR'
  const totals = await records.totals(end.run)
  const kind = run?.data.request.kind ?? 'run'
  spans.push(
    spanIn(trace, {
      id: ofRun,
      parent: null,
      name: `invoke_workflow ${kind}`,
      kind: 'internal',
      start: new Date(began),
      end: new Date(end.at),
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.workflow.name': kind,
        'drydock.run.id': end.run,
        'drydock.verdict': state,
        'drydock.tokens': totals.tokens,
        'drydock.cost.usd': { double: totals.costMicroUsd / 1e6 },
        'drydock.cost.unpriced_calls': totals.unpriced,
        ...(run?.data.base && { 'drydock.base': run.data.base }),
        ...(content && run && { 'drydock.title': capText(titleOf(run), limits.telemetry.contentChars) }),
        ...(failed && { 'error.type': state }),
      },
      failed,
    }),
  )
  return spans
}

interface LaneOf {
  readonly run: string
  readonly trace: TraceOf
  readonly lane: string
  readonly time: LaneTime
}

async function laneSpan(records: Records, { run, trace, lane, time }: LaneOf): Promise<Span> {
  const machine = await records.machineOf('lane', `${run}/${lane}`)
  const role = machine?.data.role
  const agent = role === undefined ? (lane.split('/')[0] ?? lane) : agentOf(role)
  return spanIn(trace, {
    id: ofLane(lane),
    parent: ofRun,
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    start: new Date(time.start),
    end: new Date(time.end),
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.conversation.id': `${run}/${lane}`,
      'drydock.run.id': run,
      ...storyOf(time),
      'drydock.lane': lane,
      ...(role !== undefined && { 'drydock.role': role }),
      'drydock.model_calls': time.calls,
    },
    failed: false,
  })
}
