import type { Criterion } from './criteria.ts'

/** The message for an editor whose change does not meet the tests; it reveals nothing of them. */
export const notMetWords = [
  'The steps passed, but the acceptance tests of this work did not.',
  'You do not see these tests. They ask only for what the task and its criteria say.',
  'Read both again, word for word. Find what they ask for that your change does not do in general, and not only for the examples in tests that you see.',
].join(' ')

/** The reason why a verification was not green. */
export const notMet = 'the acceptance tests are not met'

type CriterionText = Pick<Criterion, 'id' | 'text'>

const named = (criteria: readonly CriterionText[]) => criteria.map(({ id, text }) => `- ${id}: ${text}`).join('\n')

/** The message for an editor whose green change does not meet criteria of its story. */
export function unmetWords(criteria: readonly CriterionText[]): string {
  return [
    `PASS, but the change does not meet these acceptance criteria:\n${named(criteria)}`,
    'Tests that you do not see say so. They ask only for what the story says. Read each criterion word for word, and find the case that your change does not do: a value that you did not think of, or an answer that is right only for the examples in the tests that you see. Change it, then hand it in again. If you are sure that a criterion is met, hand it in again and say in `summary` where and how: then the test is looked at.',
  ].join('\n\n')
}

/** The message after somebody has looked at the tests and confirmed them. */
export function standWords(criteria: readonly CriterionText[]): string {
  return `Somebody who has not written the tests has looked at them and at your change: these criteria are not met.\n${named(criteria)}\nChange what is missing, then hand it in again. The next time a human decides.`
}
