import type { Suspension } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { ReachedBound } from '../../domain/run/budget.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { inColumns } from './columns.ts'
import { formatTokens } from './format-tokens.ts'
import { formatUsd } from './format-usd.ts'
import { describeCap } from './money-lines.ts'
import { describePause } from './paused-lanes.ts'
import type { Screen, Tone } from './screen.ts'

/** One Run as `drydock status` shows it. */
export interface StatusLine {
  readonly run: string
  /** Of the Run; INTERRUPTED, PAUSED or WAITS_FOR_YOU where nobody works on it. */
  readonly state: string
  readonly outcome: Outcome
  /** State of a task's story. */
  readonly story: string | null
  readonly attempt: number | null
  /** PASS, FAIL or INFRA_ERROR of a verification that was asked for alone. */
  readonly verdict: string | null
  readonly title: string
  readonly branch: string | null
  readonly error: string | null
  /**
   * Whom one in PAUSED waits for; and whether a human pauses one of which something is still under
   * way.
   */
  readonly paused_by: 'user' | 'budget' | null
  readonly pausing: boolean
  /** In PAUSED for its budget: the bounds in the way, and the line that is enough. */
  readonly short: { readonly bounds: readonly ReachedBound[]; readonly command: string } | null
  /** Lanes of it that wait for their provider, while it is worked on. */
  readonly paused: (Suspension & { readonly lanes: number }) | null
  /** That a hook of the user's failed, while there still is something to be told of. */
  readonly untold: string | null
  /** Findings of the gate on a task's result that nobody has accepted. */
  readonly open_findings: number
  readonly tokens: number
  /** null while the price of a call is not known. */
  readonly cost_usd: number | null
  /** Of a crew. */
  readonly crew?: CrewStatus
}

export interface CrewStatus {
  /**
   * SCOPING or STORY_GENERATION, REQUEST or ESCALATED while one of its requests is, else
   * MONITORING.
   */
  readonly architect: string
  readonly done: number
  readonly stories: number
  /** Ids of the messages that wait for a human. */
  readonly escalations: readonly string[]
}

const tones: Readonly<Record<Outcome['tone'], Tone>> = { good: 'good', bad: 'bad', waiting: 'bad', neutral: 'strong' }

/** Runs in columns; the last column takes what is left of the width. */
export function statusTable(screen: Screen, lines: readonly StatusLine[]): string {
  const rows = lines.map((line) => {
    const [about = ''] = (line.branch ?? line.error ?? line.title).split('\n')
    const state = stateOf(line)
    const tone = state.startsWith('ESCALATED') ? 'bad' : tones[line.outcome.tone]
    return { cells: [line.run, state, formatTokens(line.tokens), formatUsd(line.cost_usd), about], tone }
  })
  const unfinished = lines.some(({ outcome }) => outcome.code === 'INTERRUPTED' || outcome.code === 'ERROR')
  const asked = lines.flatMap(({ crew }) => crew?.escalations ?? [])
  return [
    inColumns(screen, { head: ['RUN', 'STATE', 'TOKENS', 'COST', 'BRANCH OR TASK'], right: [2, 3], painted: 1 }, rows),
    ...lines.flatMap(({ run, paused }) =>
      paused ? [`\n${run} is PAUSED: ${screen.prose(describePause(paused))}`] : [],
    ),
    ...lines.flatMap(restLine),
    ...lines.flatMap(({ run, branch, error }) =>
      branch !== null && error !== null ? [`\n${run}: ${screen.prose(error)} Its change is on ${branch}.`] : [],
    ),
    ...lines.flatMap(({ run, untold }) => (untold === null ? [] : [`\n${run}: ${screen.prose(untold)}`])),
    ...lines.flatMap(({ run, open_findings: open }) =>
      open === 0
        ? []
        : [
            `\n${run} has ${open} open ${open === 1 ? 'finding' : 'findings'} of the gate. Read:  drydock report ${run}`,
          ],
    ),
    ...(asked.length > 0 ? [`\nWaiting for you: message ${asked.join(', ')}. Read:  drydock chat`] : []),
    ...(unfinished ? ['\nGo on with what is unfinished:  drydock resume'] : []),
  ].join('\n')
}

/** Why one rests, or is about to, and the line that goes on. */
function restLine({ run, paused_by, pausing, short }: StatusLine): readonly string[] {
  if (pausing) return [`\n${run} is being paused: what is under way ends first. Go on with:  drydock resume ${run}`]
  if (paused_by === 'user') return [`\n${run} was paused by hand. Go on with:  drydock resume ${run}`]
  if (paused_by === null) return []
  const why = short?.bounds.map(describeCap).join('; ') || 'its budget is reached'
  return [`\n${run} is PAUSED: ${why}. Allow more:  ${short?.command ?? `drydock budget ${run} --raise 5`}`]
}

/** What it has come to; what is done in it, as long as somebody works on it. */
function stateOf({ state, outcome: { code }, story, attempt, crew }: StatusLine): string {
  const word = isGoing(code) || code === 'BUDGET_REACHED' ? state : code
  if (crew) return crewState(word, crew)
  return story !== null && word === 'MONITORING' ? `${story} ${attempt}/${limits.verifyLoops}` : word
}

function isGoing(code: Outcome['code']): boolean {
  return code === 'WORKING' || code === 'PAUSING' || code === 'QUEUED'
}

/** While it is worked on, what its architect does; and how far its stories are. */
function crewState(state: string, { architect, done, stories }: CrewStatus): string {
  const shown = state === 'MONITORING' ? architect : state
  return stories === 0 ? shown : `${shown} ${done}/${stories}`
}
