/** The words for an editor whose change does not meet them; they tell nothing of the tests. */
export const notMetWords = [
  'The steps passed, but the acceptance tests of this work did not.',
  'You do not see these tests. They ask only for what the task and its criteria say.',
  'Read both again, word for word. Find what they ask for that your change does not do in general, and not only for the examples in tests that you see.',
].join(' ')

/** Why a verification was not green. */
export const notMet = 'the acceptance tests are not met'
