export const arms = ['crew', 'task', 'solo'] as const

/** How a task is worked on: by a crew, by one editor behind the gate, or by the bare loop. */
export type Arm = (typeof arms)[number]

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
export function attemptName({ task, arm, repeat, play }: AttemptKey): string {
  return `${task}.${arm}.${repeat}${play === null ? '' : `.${play}`}`
}

export function verdictOf(delivered: boolean, hidden: readonly HiddenResult[]): AttemptVerdict {
  if (hidden.some(({ status }) => status === 'INFRA_ERROR')) return 'error'
  const green = hidden.every(({ status }) => status === 'PASS')
  if (delivered) return green ? 'resolved' : 'false_pass'
  return green ? 'false_block' : 'blocked'
}
