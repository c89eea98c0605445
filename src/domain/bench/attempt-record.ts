export const arms = ['crew', 'task', 'solo'] as const

/** The mode of an attempt: a crew, one editor behind the gate, or the bare loop. */
export type Arm = (typeof arms)[number]

export const acceptanceArms = ['with', 'without'] as const

/** With or without acceptance tests by an architect that the editor does not see. */
export type AcceptanceArm = (typeof acceptanceArms)[number]

/**
 * The result of an attempt. `false_pass`: the gate was green and the hidden tests are red.
 * `false_block`: the gate held the work back and the hidden tests are green on it. `blocked`: both
 * are red. `error`: nothing was measured.
 */
export const verdicts = ['resolved', 'false_pass', 'false_block', 'blocked', 'error'] as const

export type AttemptVerdict = (typeof verdicts)[number]

/** Identifies an attempt. */
export interface AttemptKey {
  readonly task: string
  readonly arm: Arm
  /** Null where the configuration of the task decides, and in the arm without a gate. */
  readonly acceptance: AcceptanceArm | null
  /** The number of the repetition, from 1. */
  readonly repeat: number
  /** The solution that is played in place of a model; null where a model works. */
  readonly play: string | null
}

export interface AttemptRecord extends AttemptKey {
  readonly verdict: AttemptVerdict
  /** The outcome of the run, as `result` gives it, or `TIMEOUT`. */
  readonly outcome: string
  /**
   * True if the work was handed over: by the gate, or in the arm `solo`, without a gate, by the
   * editor alone.
   */
  readonly delivered: boolean
  readonly hidden: readonly HiddenResult[]
  /**
   * Acceptance tests held the work that the hidden tests judge: at the end of its run, or until a
   * person allowed it. Null where none has run.
   */
  readonly held_by_acceptance: boolean | null
  readonly questions: number
  /** Returns of stories from the merge queue. */
  readonly returns: number
  /** Null when the price of a call is unknown. */
  readonly cost_usd: number | null
  readonly tokens: number
  /** Duration of the run, without the hidden tests. */
  readonly wall_ms: number
  readonly base: string
  /** The commit on which the hidden tests ran. */
  readonly commit: string
  /** The reason why nothing was measured. */
  readonly error?: string
}

export interface HiddenResult {
  readonly command: string
  readonly status: 'PASS' | 'FAIL' | 'INFRA_ERROR'
  /** The last lines of its output. */
  readonly tail: string
}

/** The name of an attempt in files and on screens. */
export function attemptName({ task, repeat, play, ...how }: AttemptKey): string {
  return `${task}.${armName(how)}.${repeat}${play === null ? '' : `.${play}`}`
}

/** The name of an arm and its acceptance setting, in files. */
export function armName({ arm, acceptance }: Pick<AttemptKey, 'arm' | 'acceptance'>): string {
  return acceptance === null ? arm : `${arm}-${acceptance}-acceptance`
}

export function verdictOf(delivered: boolean, hidden: readonly HiddenResult[]): AttemptVerdict {
  if (hidden.some(({ status }) => status === 'INFRA_ERROR')) return 'error'
  const green = hidden.every(({ status }) => status === 'PASS')
  if (delivered) return green ? 'resolved' : 'false_pass'
  return green ? 'false_block' : 'blocked'
}
