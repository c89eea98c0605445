import type { EventData } from '../../domain/event.ts'

type Tried = Pick<EventData['model_tried'], 'calls' | 'reports_usage' | 'ends_stream'>

/** Weaknesses that a trial has found, each a sentence; none for a model that does all that is needed. */
export function trialWarnings({ calls, reports_usage, ends_stream }: Tried): readonly string[] {
  return [
    ...(calls === 'forced' ? ['It calls a tool only when it has to, so its agents may stand still.'] : []),
    ...(calls === 'unknown' && ends_stream ? ['Its trial did not show that it calls tools.'] : []),
    ...(reports_usage === false ? ['Its server reports no usage, so tokens and dollars are estimated.'] : []),
    ...(ends_stream ? [] : ['Its server did not end the stream of its reply.']),
  ]
}
