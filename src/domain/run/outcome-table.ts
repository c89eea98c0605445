/** The tone of a Run's outcome. `waiting` needs a person; `bad` failed or fell short. */
export const outcomeTones = ['good', 'bad', 'waiting', 'neutral'] as const

interface OutcomeRow {
  readonly means: string
  /** The user's next step; empty where nothing is to be done. */
  readonly todo: string
  /** The codes of this outcome, the first with its name, and their exit codes. */
  readonly codes: Readonly<Record<string, number>>
  readonly tone: (typeof outcomeTones)[number]
  /** Codes with another tone than the row. */
  readonly tones?: Readonly<Record<string, (typeof outcomeTones)[number]>>
}

/**
 * The outcomes that a user tells apart, at most 12. A row's further codes say the reason; tones,
 * exit codes and the glossary are made from this table.
 */
export const outcomeTable = {
  DONE: {
    means: 'verified, reviewed if there is a crew, on the branch; of `verify`: PASS',
    todo: '`git merge`, or `drydock land`',
    codes: { DONE: 0, PASS: 0 },
    tone: 'good',
  },
  FINDINGS: {
    means:
      'verified and on its branch, but somebody must look first: open findings, comments of others (HELD), a story left out (SKIPPED), or `--apply` would overwrite changes (NOT_APPLIED)',
    todo: '`drydock report`, then `drydock accept <id> <finding>` or `drydock review <id> --comment`',
    codes: { FINDINGS: 3, HELD: 3, SKIPPED: 3, NOT_APPLIED: 2 },
    tone: 'bad',
    tones: { HELD: 'waiting' },
  },
  NO_CHANGE: {
    means: 'nothing was built: the editor claims that nothing needs to change, or the spec is TOO_VAGUE',
    todo: '`drydock accept <id> no_change`, or `drydock retry --guidance "…"`; `drydock spec <file>`, or `--as-is`',
    codes: { NO_CHANGE: 3, TOO_VAGUE: 3 },
    tone: 'bad',
  },
  FAIL: {
    means: 'the verdict of `drydock verify`',
    todo: '`drydock log <run_id>`',
    codes: { FAIL: 3 },
    tone: 'bad',
  },
  STUCK: {
    means: 'a [bound](bounds.md) was reached, or the architect REJECTED the story',
    todo: '`drydock report`, then `drydock retry --guidance "…"`, or answer the question',
    codes: { STUCK: 3, REJECTED: 3 },
    tone: 'bad',
  },
  INFRA_ERROR: {
    means: 'the sandbox, dependencies, the checkout, the disk, a service, a foreign agent or a scout’s model failed',
    todo: 'fix the cause, then `drydock resume`; in a crew also `drydock retry <story>`',
    codes: { INFRA_ERROR: 4 },
    tone: 'bad',
  },
  ERROR: {
    means: 'something outside of the run is wrong: a key, an address, the state’s disk (also 2 or 1)',
    todo: 'fix it, then `drydock resume`',
    codes: { ERROR: 4 },
    tone: 'bad',
  },
  CANCELLED: {
    means: 'you ended it',
    todo: '`drydock retry <id>` starts it again, only with its id',
    codes: { CANCELLED: 5 },
    tone: 'neutral',
  },
  WAITS_FOR_YOU: {
    means: 'a question is open, and nobody waits for the answer',
    todo: '`drydock chat`, `drydock reply`',
    codes: { WAITS_FOR_YOU: 6 },
    tone: 'waiting',
  },
  PAUSED: {
    means: 'paused by a person, by a signal (Ctrl-C, SIGHUP, SIGTERM), or by a budget: BUDGET_REACHED',
    todo: '`drydock resume`; for a budget first `drydock budget --raise`',
    codes: { PAUSED: 6, BUDGET_REACHED: 7 },
    tone: 'waiting',
  },
  INTERRUPTED: {
    means: 'it has work left, but no process works on it',
    todo: '`drydock resume`',
    codes: { INTERRUPTED: 130 },
    tone: 'waiting',
  },
  WORKING: {
    means: 'it is in progress: WORKING, QUEUED or PAUSING',
    todo: '',
    codes: { WORKING: 130, QUEUED: 130, PAUSING: 130 },
    tone: 'neutral',
  },
} as const satisfies Readonly<Record<string, OutcomeRow>>

type RowOf = (typeof outcomeTable)[keyof typeof outcomeTable]

export type OutcomeCode = {
  [Name in keyof typeof outcomeTable]: keyof (typeof outcomeTable)[Name]['codes']
}[keyof typeof outcomeTable]

const rows: readonly OutcomeRow[] = Object.values<RowOf>(outcomeTable)

/** Every code, in the order of the table. */
export const outcomeCodes = rows.flatMap(({ codes }) => Object.keys(codes)) as [OutcomeCode, ...OutcomeCode[]]

export const exitCodes = Object.fromEntries(rows.flatMap(({ codes }) => Object.entries(codes))) as Readonly<
  Record<OutcomeCode, number>
>

export const codeTones = Object.fromEntries(
  rows.flatMap(({ codes, tone, tones = {} }) => Object.keys(codes).map((code) => [code, tones[code] ?? tone])),
) as Readonly<Record<OutcomeCode, OutcomeRow['tone']>>
