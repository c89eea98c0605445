import type { EventData } from '../../domain/event.ts'
import { formatCount } from '../../domain/figures-text.ts'
import type { TriedModel } from '../../ports/model.ts'

type TrialFacts = Pick<EventData['model_tried'], 'calls' | 'reports_usage' | 'ends_stream'>

/** Weaknesses that a trial has found, one sentence each. */
export function trialWarnings({ calls, reports_usage, ends_stream }: TrialFacts): readonly string[] {
  return [
    ...(calls === 'forced' ? ['It calls a tool only when it has to, so its agents may stand still.'] : []),
    ...(calls === 'unknown' && ends_stream ? ['Its trial did not show that it calls tools.'] : []),
    ...(reports_usage === false ? ['Its server reports no usage, so tokens and dollars are estimated.'] : []),
    ...(ends_stream ? [] : ['Its server did not end the stream of its reply.']),
  ]
}

/** The result of a trial in one line. */
export function trialFacts({ calls, reportsUsage, endsStream, window, at }: TriedModel): string {
  const warnings = trialWarnings({ calls, reports_usage: reportsUsage, ends_stream: endsStream })
  const size = window === null ? 'its server tells no context window' : `context of ${formatCount(window)} tokens`
  const good = warnings.length === 0 ? 'calls tools, reports usage and ends its streams' : warnings.join(' ')
  return `${good}; ${size}; tried ${at}`
}
