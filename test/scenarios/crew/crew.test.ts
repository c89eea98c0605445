import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { build, greenStory, specLanes } from '../world/crew.ts'
import { resultOf } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

test('a spec becomes one commit a story on the run branch, each verified and reviewed', async () => {
  fixture = await createCrewFixture()
  const built = await build(fixture, { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') })
  expect(resultOf(built)).toMatchObject({ status: 'DONE', branch: 'drydock/make-the-files' })
  expect(await fixture.git('log', '--format=%s', 'main..drydock/make-the-files')).toMatch(
    /^Add (one|two)\nAdd (one|two)$/,
  )
})
