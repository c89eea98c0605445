import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { resultOf } from './world/fixture.ts'
import { expectDone, follows, tasksOn, whole } from './world/memory-processes.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const { startGated, startGreen, events, history } = tasksOn(() => fixture)

// Red now and then, in 24 of 150 tries. An owner that ends may leave its slot to a task whose
// process has not asked the next owner yet: that owner counts the slot as held, and opens another
// one beside it.
test('several processes do their tasks strictly in their order with one slot, and each gets its own result', async () => {
  const first = await startGated()
  const second = await startGreen('second')
  await second.line(follows)
  const third = await startGreen('third')
  await third.line(follows)
  await first.gate.open()
  const ends = await Promise.all([first.ended, second.ended, third.ended])
  for (const end of ends) expectDone(end)
  expect(ends.map((end) => resultOf(end).branch)).toEqual(['drydock/first', 'drydock/second', 'drydock/third'])
  for (const end of ends) {
    const run = end.events[0]?.run
    expect(end.events.every((event) => event.run === run)).toBe(true)
  }
  const turns = (await events()).flatMap(({ run, type }) => (type === 'model_call' ? [run] : []))
  expect(turns.filter((run, at) => run !== turns[at - 1])).toEqual(['first', 'second', 'third'])
  // A slot is free a step before the run that had it is over.
  expect((await history()).toSorted()).toEqual([...whole('first'), ...whole('second'), ...whole('third')].toSorted())
})
