import type { View } from '../../app/operations/views-of.ts'
import { describeAgain } from '../../app/text/describe-again.ts'
import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import { limits } from '../../domain/limits.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { sentence } from '../../domain/sentence.ts'
import { inColumns } from './columns.ts'
import { describeCap } from './money-lines.ts'
import { outcomeTone } from './outcome-line.ts'
import { describePause } from './paused-lanes.ts'
import { forWhom } from './question.ts'
import type { Screen } from './screen.ts'

type StatusLine = View<'statusList'>['lines'][number]
type CrewStatus = NonNullable<StatusLine['crew']>

/** Runs in columns; the last column takes the remaining width. */
export function statusTable(screen: Screen, lines: readonly StatusLine[]): string {
  const rows = lines.map((line) => {
    const [about = ''] = (line.branch ?? line.error ?? line.title).split('\n')
    const said = line.tests_remark === null ? about : `${about}: ${line.tests_remark}`
    const state = stateOf(line)
    const tone = state.startsWith('ESCALATED') ? 'bad' : outcomeTone[line.outcome.tone]
    return { cells: [line.run, state, formatCount(line.tokens), formatUsd(line.cost_usd), said], tone }
  })
  const unfinished = lines.some(({ outcome }) => outcome.code === 'INTERRUPTED' || outcome.code === 'ERROR')
  const asked = lines.flatMap(
    ({ crew }) => crew?.escalations.map((id) => id + screen.clean(forWhom(crew.assigned?.[id] ?? null))) ?? [],
  )
  return [
    inColumns(screen, { head: ['RUN', 'STATE', 'TOKENS', 'COST', 'BRANCH OR TASK'], right: [2, 3], painted: 1 }, rows),
    ...lines.flatMap(({ run, paused }) =>
      paused ? [`\n${run} is PAUSED: ${screen.prose(describePause(paused))}`] : [],
    ),
    ...lines.flatMap(restLine),
    ...lines.flatMap(({ run, again }) => (again === null ? [] : [`\n${run} ${describeAgain(again)}`])),
    ...lines.flatMap(({ run, branch, error }) =>
      branch !== null && error !== null
        ? [sentence`\n${run}: ${screen.prose(error)}. Its change is on ${branch}.`]
        : [],
    ),
    ...lines.flatMap(({ run, gone }) =>
      gone?.taken === false ? [`\n${run}: ${screen.clean(`${gone.message} ${gone.todo}`)}`] : [],
    ),
    ...lines.flatMap(({ run, untold }) => (untold === null ? [] : [`\n${run}: ${screen.prose(untold)}`])),
    ...lines.flatMap(({ run, outages }) => outages.map((line) => `\n${run}: ${screen.prose(line)}`)),
    ...lines.flatMap(({ run, open_findings: open }) =>
      open === 0
        ? []
        : [
            `\n${run} has ${open} open ${open === 1 ? 'finding' : 'findings'} of the gate. Read:  drydock report ${run}`,
          ],
    ),
    ...(asked.length > 0 ? [`\nWaiting for you: message ${asked.join(', ')}. Read:  drydock chat`] : []),
    ...(unfinished ? ['\nContinue with:  drydock resume'] : []),
  ].join('\n')
}

/** The line on why a Run is paused, or is being paused, with the command line that continues it. */
function restLine({ run, outcome, paused_by, pausing, short }: StatusLine): readonly string[] {
  if (pausing) return [`\n${run} is being paused: the current steps end first. Continue with:  drydock resume ${run}`]
  if (paused_by === 'user') return [`\n${run}: ${outcome.sentence} Continue with:  drydock resume ${run}`]
  if (paused_by === null) return []
  const why = short?.bounds.map(describeCap).join('; ') || 'it reached its budget'
  return [`\n${run} is PAUSED: ${why}. Allow more:  ${short?.command ?? `drydock budget ${run} --raise 5`}`]
}

/** The outcome of a Run; while a process works on it, its state. */
function stateOf(line: StatusLine): string {
  const { state, outcome, story, attempt, crew } = line
  const { code, label = 'Paused' } = outcome
  const word = isGoing(code) || code === 'BUDGET_REACHED' ? state : code
  if (word === 'PAUSED') return `${crew ? crewState(word, crew) : word}${label.slice('Paused'.length)}`
  if (crew) return crewState(word, crew)
  return story !== null && word === 'MONITORING' ? `${story} ${attempt}/${limits.verifyLoops}` : word
}

function isGoing(code: Outcome['code']): boolean {
  return code === 'WORKING' || code === 'PAUSING' || code === 'QUEUED'
}

/** The architect's activity while the Run is worked on, and the number of finished stories. */
function crewState(state: string, { architect, done, stories }: CrewStatus): string {
  const shown = state === 'MONITORING' ? architect : state
  return stories === 0 ? shown : `${shown} ${done}/${stories}`
}
