import { expect, test } from 'vitest'
import { randomOf } from '../random.ts'
import { expectQuiet, expectWhole, storedCrew } from '../scenarios/kill/crew-kill.ts'
import { remains, runKilled, type Story, storedStory, survivors, timesCounted } from '../scenarios/kill/kill.ts'

// Every step is stored before the next one starts. After a crash, `drydock resume` continues where
// it stopped. Here processes are killed at randomly drawn commits; test/scenarios/kill tries all.
const seed = Number(process.env.DRYDOCK_KILL_SEED ?? Date.now() % 100_000)

/** Kills processes at drawn commits, and lets the last one finish. */
async function weathers(story: Story, moment: 'before' | 'after', deaths: number): Promise<void> {
  const random = randomOf(seed)
  const drawn = Array.from({ length: deaths }, () => 1 + Math.floor(random() * 12))
  process.stderr.write(`killed ${moment} commits ${drawn.join(', ')}: DRYDOCK_KILL_SEED=${seed}\n`)
  let killed = 0
  const isEnough = async () => {
    killed += 1
    return killed === deaths
  }
  expect(await runKilled(story, moment, isEnough, (processes) => drawn[processes - 1] ?? 1)).toBe(deaths)
  expect(await runKilled(story, 'never')).toBe(1)
}

test(`a task whose processes are killed ends as one that never was (seed ${seed})`, async () => {
  const story = await storedStory()
  await weathers(story, 'before', 2)
  expect(await remains(story)).toMatchObject({
    verifications: ['FAIL', 'PASS'],
    isIdle: true,
    value: 'new',
    userTree: '',
    branches: 'drydock/say-new',
    contextFiles: [
      { n: 1, milestone: 'scout report' },
      { n: 2, milestone: 'plan' },
      { n: 3, milestone: 'success' },
    ],
  })
  expect(await timesCounted(story)).toBeLessThanOrEqual(1)
  expect(survivors(story)).toEqual([])
  await story.fixture.remove()
})

test(`a crew whose processes are killed builds each story once (seed ${seed})`, async () => {
  const story = await storedCrew(2)
  await weathers(story, 'after', 1)
  await expectWhole(story)
  await expectQuiet(story)
  expect(survivors(story)).toEqual([])
  await story.fixture.remove()
})
