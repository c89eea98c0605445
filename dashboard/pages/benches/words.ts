import type { BenchAttempt, BenchLine } from '../../../src/api/benches.ts'

export type Verdict = NonNullable<BenchAttempt['result']>['verdict']

export const verdictNames = ['resolved', 'false_pass', 'false_block', 'blocked', 'error'] as const

export const verdictTitles: Readonly<Record<Verdict, string>> = {
  resolved: 'Resolved',
  false_pass: 'False PASS',
  false_block: 'False block',
  blocked: 'Blocked',
  error: 'Error',
}

export const verdictSentences: Readonly<Record<Verdict, string>> = {
  resolved: 'The work was handed over, and the hidden tests are green.',
  false_pass: 'The work was handed over, and the hidden tests are red.',
  false_block: 'The work was held back, and the hidden tests are green.',
  blocked: 'The work was held back, and the hidden tests are red.',
  error: 'Nothing was measured. It counts in no rate.',
}

/** The state names that determine the colours. */
const benchStates = { going: 'VERIFYING', finished: 'DONE', stopped: 'INTERRUPTED' } as const

export const benchTitles = { going: 'Going', finished: 'Finished', stopped: 'Stopped' } as const

/** The badge for a whole bench. A failed self-test is not green. */
export function badgeOfBench({ state, unexpected }: BenchLine): { readonly state: string; readonly label: string } {
  if (state !== 'going' && unexpected !== null && unexpected > 0) return { state: 'FAIL', label: 'Self-test failed' }
  if (state === 'finished' && unexpected === 0) return { state: 'PASS', label: 'Self-test passed' }
  return { state: benchStates[state], label: benchTitles[state] }
}

/** The result of an attempt, and in a self-test if it was expected. */
export function badgeOfAttempt({ state, expected, result }: Pick<BenchAttempt, 'state' | 'expected' | 'result'>) {
  if (result === null) {
    return state === 'working'
      ? { state: 'CODING', label: 'Working', title: 'It is under way.' }
      : { state: 'QUEUED', label: 'Waiting', title: 'It has not begun.' }
  }
  const { verdict } = result
  const said = { label: verdictTitles[verdict], title: verdictSentences[verdict] }
  if (expected === null) return { ...said, state: verdict.toUpperCase() }
  if (expected === verdict) return { ...said, state: 'PASS', title: `${said.title} That was expected.` }
  return { state: 'FAIL', label: `${said.label}, not ${verdictTitles[expected]}`, title: said.title }
}

/** The title that distinguishes the attempts of one task in one arm. */
export function attemptTitle({ repeat, play }: Pick<BenchAttempt, 'repeat' | 'play'>): string {
  return play === null ? `attempt ${repeat}` : repeat === 1 ? play : `${play} ${repeat}`
}

export const armTitles: Readonly<Record<BenchAttempt['arm'], string>> = { crew: 'Crew', task: 'Task', solo: 'Solo' }

/** The name of an arm, with or without acceptance tests if these are compared. */
export function armTitle({ arm, acceptance }: Pick<BenchAttempt, 'arm' | 'acceptance'>): string {
  return acceptance === null ? armTitles[arm] : `${armTitles[arm]} ${acceptance} acceptance tests`
}

/** The words for a verdict within a sentence. */
export function inText(verdict: Verdict): string {
  const title = verdictTitles[verdict]
  return title.charAt(0).toLowerCase() + title.slice(1)
}
