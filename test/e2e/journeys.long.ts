import { test } from 'vitest'
import { sharedBrowser } from './browser.ts'
import { answerQuestions } from './journeys/answer.ts'
import { finishWork } from './journeys/finish-work.ts'
import { hiddenCharacters } from './journeys/hidden-characters.ts'
import { hostileText } from './journeys/hostile-text.ts'
import { hubPeople } from './journeys/hub-people.ts'
import { lookBack } from './journeys/look-back.ts'

const browser = sharedBrowser()
/** A journey has about a hundred steps, each of which may take long on a busy machine. */
const journey = { timeout: 600_000 }

test(
  'somebody is asked and answers by clicks and in words, talks, retries, skips, pauses, pays more and cancels',
  journey,
  () => answerQuestions(browser),
)

test('a person reviews the result of a task, reads its proof, accepts its findings, and lands it', journey, () =>
  finishWork(browser),
)

test(
  'people of a team sign in to a hub with a token or their provider, and each sees and does what the role allows',
  journey,
  () => hubPeople(browser),
)

test(
  'somebody looks back: what a run cost, how two of them differ, every moment of the past, and how a bench went',
  journey,
  () => lookBack(browser),
)

test(
  'somebody sees what a change hides, in its lines, its names and its title, and merges nothing while a comment holds it',
  journey,
  () => hiddenCharacters(browser),
)

test(
  'text of models and repositories is only ever text on every page, and each is in order for axe, light or dark, on a screen and on a phone',
  journey,
  () => hostileText(browser),
)
