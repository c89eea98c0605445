export const arms = ['crew', 'task', 'solo'] as const

/** How a task is worked on: by a crew, by one editor behind the gate, or by the bare loop. */
export type Arm = (typeof arms)[number]

export const acceptanceArms = ['with', 'without'] as const

/** Whether an architect writes tests of the task that its editor does not see. */
export type AcceptanceArm = (typeof acceptanceArms)[number]

/**
 * What an attempt came to. `false_pass`: the gate was green and the hidden tests are red.
 * `false_block`: the gate held the work back and the hidden tests are green on it. `blocked`: both
 * are red. `error`: nothing was measured.
 */
export const verdicts = ['resolved', 'false_pass', 'false_block', 'blocked', 'error'] as const

export type AttemptVerdict = (typeof verdicts)[number]

/** Which attempt it is. */
export interface AttemptKey {
  readonly task: string
  readonly arm: Arm
  /** Null where the configuration of the task decides, and in the arm without a gate. */
  readonly acceptance: AcceptanceArm | null
  /** From 1. */
  readonly repeat: number
  /** The solution that is played in place of a model; null where a model works. */
  readonly play: string | null
}

export interface AttemptRecord extends AttemptKey {
  readonly verdict: AttemptVerdict
  /** The outcome of the run, as `result` says it, or `TIMEOUT`. */
  readonly outcome: string
  /** Whether the work was handed over; in the arm `solo`, without a gate, by the editor alone. */
  readonly delivered: boolean
  readonly hidden: readonly HiddenResult[]
  /**
   * Whether acceptance tests held what the hidden tests judge: at the end of its run, or until a
   * person allowed it. Null where none has run.
   */
  readonly held_by_acceptance: boolean | null
  readonly questions: number
  /** Returns of stories from the merge queue. */
  readonly returns: number
  /** Null when the price of a call is not known. */
  readonly cost_usd: number | null
  readonly tokens: number
  /** Of the run, without the hidden tests. */
  readonly wall_ms: number
  readonly base: string
  /** The commit that the hidden tests were laid over. */
  readonly commit: string
  /** Of an attempt in which nothing was measured. */
  readonly error?: string
}

export interface HiddenResult {
  readonly command: string
  readonly status: 'PASS' | 'FAIL' | 'INFRA_ERROR'
  /** The last lines of its output. */
  readonly tail: string
}

/** Name of an attempt in files and on screens. */
export function attemptName({ task, repeat, play, ...how }: AttemptKey): string {
  return `${task}.${armName(how)}.${repeat}${play === null ? '' : `.${play}`}`
}

/** Name of an arm in files, and of what it is measured with. */
export function armName({ arm, acceptance }: Pick<AttemptKey, 'arm' | 'acceptance'>): string {
  return acceptance === null ? arm : `${arm}-${acceptance}-acceptance`
}

export function verdictOf(delivered: boolean, hidden: readonly HiddenResult[]): AttemptVerdict {
  if (hidden.some(({ status }) => status === 'INFRA_ERROR')) return 'error'
  const green = hidden.every(({ status }) => status === 'PASS')
  if (delivered) return green ? 'resolved' : 'false_pass'
  return green ? 'false_block' : 'blocked'
}
