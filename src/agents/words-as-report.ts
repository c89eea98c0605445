import type { LaneData } from '../domain/lane/lane.ts'
import type { ToolCall } from '../domain/lane/message.ts'
import { limits } from '../domain/limits.ts'
import { capText } from '../domain/text.ts'
import type { ModelReply } from '../ports/model.ts'
import { scoutRoles } from './tools/roles.ts'
import { answerChars, submitCodebaseReport } from './tools/submit-report.ts'

const mark = '[Not handed in as a report: the words of the scout, unchecked.]'

/**
 * The report that a scout gave in words alone, after it was told to call its tool and talked again;
 * null for any other reply.
 */
export function wordsAsReport(
  { role, turn, wordsOnly = 0 }: Pick<LaneData, 'role' | 'turn' | 'wordsOnly'>,
  { stop, text }: Pick<Exclude<ModelReply, { stop: 'error' }>, 'stop' | 'text'>,
): ToolCall | null {
  const isScout = scoutRoles.some((scout) => scout === role)
  const said = text.trim()
  if (!isScout || stop !== 'end' || said === '' || wordsOnly + 1 < limits.scoutWords) return null
  const answer = `${mark}\n${capText(said, answerChars - mark.length - 1 - limits.cutNotice)}`
  return { id: `words_${turn}`, tool: submitCodebaseReport.name, input: { answer } }
}
